"""``python -m anatomy``: the same program as the console script ``anatomy``."""

import sys

from anatomy.cli import main

sys.exit(main())
