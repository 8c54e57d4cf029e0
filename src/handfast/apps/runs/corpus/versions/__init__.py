"""The versions of the corpus: built beside the one that is read, and whole before anybody reads.

versions       what there is; switching, going back
parts          the three tables, and what they are called in a version
build          making a version: nothing to be seen until it is whole
builders_lock  one builder at a time
carry_over     what a new version takes over from an old one
statistics     what the guardian looks at
guardian       what it thinks of them
publish        guardian, then switch or alert
retention      old versions, and what builders left that did not live to finish
"""
