"""The prompt of the judges that answer in words: one versioned template and what fills it."""

from ci_judge.judges.prompt.rendering import PROMPT_VERSION, Prompt, render_prompt

__all__ = ["PROMPT_VERSION", "Prompt", "render_prompt"]
