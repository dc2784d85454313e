"""The pages of ``docs/reference`` that repeat what the code declares, one module a page."""
