"""The corpus: startups, investors and the scored pairs between them, in whole versions.

A version is built beside the one that is read, looked at by a guardian, and only then do readers
go over to it, all at once. No row of a version changes once it is whole; throwing one away is
dropping three tables.

    versions    what there is; switching, rolling back
    parts       the three tables, and what they are called in a version
    build       making a version: one builder at a time, nothing to be seen until it is whole
    retention   old versions, and what builders left that did not live to finish
    columns     what a file of each part holds
    values      reading one value, or saying why not
    records     reading one row, or saying why not
    sources     rows in blocks, from CSV (csv_source), Parquet (parquet_source) or the user's own
                tables (table_source)
    rejects     rows that were set aside, and when there are too many of them
    intake      one source into one part of a version
    load        files or tables into a new version
    words       text and lists as numbers
    regions     which countries are near each other
    profiles    investors and startups as numpy sees them
    weights     how much each signal counts
    scoring     how well two of them fit, in whole numbers
    ranking     the best investors of each startup
    rebuild     scoring all pairs again, into a new version
    figures     what the guardian looks at
    guardian    what it thinks of them
    publish     guardian, then switch or alert
    generator   startups and investors that do not exist, as many as you like
    jobs        the nightly rebuild, and retention, as jobs of the engine
"""
