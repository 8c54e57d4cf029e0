"""Asking other people's servers, at addresses that other people chose.

One request within bounds: to public addresses only unless the operator says otherwise, without
redirects, with an end to how long and how much. What is asked, and what an answer means, is the
business of whoever asks: webhooks deliver events, fixtures fetch documents.

    sender          a POST or a GET, within one deadline
    url             an address taken apart, or why it is none
    addresses       which addresses are not public
    guard           resolves once, checks, connects to what was checked
    connections     connections kept for reuse
    bounded_stream  an answer has an end
    answer          what came back, and what of it people may see
"""
