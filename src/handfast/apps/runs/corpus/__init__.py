"""The corpus: startups, investors and the scored pairs between them, in whole versions.

A version is built beside the one that is read, looked at by a guardian, and only then do readers
go over to it, all at once. No row of a version changes once it is whole; throwing one away is
dropping three tables.

    versions   the tables of a version: built, looked at, switched to, thrown away
    intake     files or tables of the user's into a version; what is bad is set aside
    scores     how well a startup and an investor fit, and the best investors of each startup
    rebuild    scoring all pairs again, into a new version
    jobs       the nightly rebuild, and retention, as jobs of the engine
    generator  startups and investors that do not exist, as many as you like
    generated  the same into files, or straight into a version
"""
