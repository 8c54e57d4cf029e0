"""The benchmarks: `python bench/jobs.py` measures the engine beside its peers."""
