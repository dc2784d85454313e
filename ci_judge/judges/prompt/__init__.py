"""The prompt of the judges that answer in words: versioned templates and what fills them."""

from ci_judge.judges.prompt.rendering import Prompt, PromptWords, render_prompt
from ci_judge.judges.prompt.template import LATEST_VERSION, PromptVersion

__all__ = ["LATEST_VERSION", "Prompt", "PromptVersion", "PromptWords", "render_prompt"]
