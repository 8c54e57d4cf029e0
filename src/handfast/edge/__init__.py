"""Where Handfast meets people and programs: HTTP and the command line.

The only rooms that know Litestar and cyclopts. They translate; they decide nothing.
"""
