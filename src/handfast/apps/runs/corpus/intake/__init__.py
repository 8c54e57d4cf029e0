"""Rows of the user's into a version: read, checked, copied; what is bad is set aside.

load            files or tables into a new version
intake          one source into one part of a version
source          rows in blocks, from wherever they come
csv_source      from CSV
parquet_source  from Parquet
table_source    from the user's own tables
columns         what a file of each part holds
records         reading one row, or saying why not
fields          reading one value, or saying why not
rejects         rows that were set aside, and when there are too many of them
"""
