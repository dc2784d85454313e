"""What is kept between runs: answers of judges and, where asked for, of targets.

Importing it is cheap: SQLite itself is loaded with the first entry that is looked up.
"""

from ci_judge.cache.digests import digest
from ci_judge.cache.entries import Cache
from ci_judge.cache.folder import prepare_cache_folder

__all__ = ["Cache", "digest", "prepare_cache_folder"]
