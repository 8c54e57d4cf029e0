"""Who is who: accounts by phone, sign-ins, and the tokens that prove them.

For people and players alike: a player is the signed-in user, under the same id. Whoever suspends,
reinstates or deletes an account does it here, and every other room hears of it in the same
transaction (facts: ``capability``). A sign-in is looked up for each request, so what ends it holds
for the next one in every process.

    accounts     one for each phone; what others may know of it
    sign_ins     a device that is signed in: at most five, and how they end
    suspension   suspend and reinstate: what holds for the next request
    deletion     hidden and signed out at once, erased after 30 days, undone by signing in
    tokens       access tokens, the keys that sign them, refresh tokens
    otp          codes by SMS: sending one, verifying one
    authority    the secret, the keys and the settings of one process, held together
    secret       keyed hashes and encryption under HANDFAST_IDENTITY_SECRET
    describing   what an answer says of a user: by the capability that knows more, or by us
    work         who sends codes and does the chores
    metrics      what is counted
    settings     settings of identity
    errors       errors of sign-ins and tokens
    capability   identity as a capability
"""
