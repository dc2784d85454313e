"""Two shapes of configuration that people bring along from other runners."""

CHAT_TOML = """\
[target]
url = "https://staging.example.com/api/chat"
headers = { Authorization = "Bearer ${STAGING_TOKEN}" }
body = { message = "{{message}}", history = "{{history}}" }
response_path = "choices.0.message.content"
[run]
runs = 10
threshold = 0.7
concurrency = 4
[judge]
provider = "anthropic"
model = "claude-sonnet-5"
"""

SYSTEMONE_YAML = """\
suite: {paths: [examples], pattern: "case_*.py"}
judge:
  provider: systemone
  base_url: http://127.0.0.1:8000
  model: jev-1.13.0
  api_key: null
  api_key_env: LAYA_API_KEY
  mode: threshold
  threshold: 0.8
  repetitions: 1
  minimum_pass_rate: 1.0
  seed: null
  instructions: >-
    Say how likely it is that the actual result satisfies the requirement.
"""
