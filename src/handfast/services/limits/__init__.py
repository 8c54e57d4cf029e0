"""Rate limits that hold across processes and restarts."""
