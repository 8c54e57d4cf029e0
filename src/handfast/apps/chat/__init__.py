"""Chat: what two people who are matched write to each other, each message once.

content     what may be sent
messages    sending, reading, marking as read
describing  what the list of matches shows of a chat, and a user's copy of their data
evidence    messages as a report takes them along
removal     the chats of matches that were closed long ago go, by a job
following   what happens here when a message is removed or an account is erased
metrics     what is counted
settings    settings of chat
errors      errors of chat
capability  chat as a capability
"""
