"""What people build on the engine: one package per kind of matchmaking, each with a schema of its
own name. Apps do not import each other.

    chat      messages between matched people
    safety    reports, what operators decide about them, appeals
    offers    daily offers and matches, chosen for both sides
    people    profiles, photos, questions, verification: who may be matched
    fixtures  work that hangs on a kickoff
    stakes    a queue of players who stake the same amount, and the games between them
    runs      which investors suit a startup, from a corpus that no run writes
"""
