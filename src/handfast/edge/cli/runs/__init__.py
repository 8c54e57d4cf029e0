"""``handfast runs`` and ``handfast corpus``.

What is in here:

    runs           start a match run and see its matches, look at one, list them
    shared_hosts   ``handfast runs hosts``: hosts that carry many companies
    corpus         versions of the corpus
    corpus_build   ``handfast corpus load | rebuild | generate``: what makes a new version
    checks         what doctor finds out about match runs
"""
