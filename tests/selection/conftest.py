import sys
from pathlib import Path

# The helpers of this folder are imported by name; pytest's import mode does not put it on the path.
sys.path.append(str(Path(__file__).parent))
