-- Chat: what two people who are matched write to each other.
--
--   handfast_chat.chats       one for each match in which something was written: the last number, and when
--   handfast_chat.messages    numbered within their chat, in the order in which they were committed
--   handfast_chat.read_marks  how far each of the two has read
--   handfast_chat.removal     up to when closed matches have lost their chat
--
-- Lock order: the pair (handfast_offers.lock_pair), the chat, events.

CREATE SCHEMA handfast_chat;

COMMENT ON SCHEMA handfast_chat IS 'Handfast: messages between matched people';

CREATE TABLE handfast_chat.chats (
    match_id         uuid NOT NULL,
    messages         bigint NOT NULL,
    last_message_at  timestamptz NOT NULL,
    CONSTRAINT chats_pkey PRIMARY KEY (match_id)
);

COMMENT ON COLUMN handfast_chat.chats.messages IS 'the number of the last message; the first is 1';

CREATE TABLE handfast_chat.messages (
    id                 uuid NOT NULL,
    match_id           uuid NOT NULL,
    sender_id          uuid NOT NULL,
    number             bigint NOT NULL,
    created_at         timestamptz NOT NULL,
    read_at            timestamptz,
    removed_at         timestamptz,
    content            text,
    client_message_id  text,
    CONSTRAINT messages_pkey PRIMARY KEY (id),
    CONSTRAINT message_chat FOREIGN KEY (match_id)
        REFERENCES handfast_chat.chats (match_id) ON DELETE CASCADE,
    CONSTRAINT message_content_length CHECK (length(content) BETWEEN 1 AND 2000),
    CONSTRAINT message_removed CHECK ((content IS NULL) = (removed_at IS NOT NULL)),
    CONSTRAINT message_client_id_length CHECK (length(client_message_id) BETWEEN 1 AND 100)
);

COMMENT ON COLUMN handfast_chat.messages.content IS 'as it was sent; null once an operator removed it';

CREATE UNIQUE INDEX message_number ON handfast_chat.messages (match_id, number) INCLUDE (sender_id);
-- For ever, not for a day: an app may come back later than that.
CREATE UNIQUE INDEX message_sent_once ON handfast_chat.messages (match_id, sender_id, client_message_id)
    WHERE client_message_id IS NOT NULL;
CREATE INDEX messages_by ON handfast_chat.messages (sender_id, created_at);

CREATE TABLE handfast_chat.read_marks (
    match_id       uuid NOT NULL,
    user_id        uuid NOT NULL,
    number         bigint NOT NULL,
    read_at        timestamptz NOT NULL,
    CONSTRAINT read_marks_pkey PRIMARY KEY (match_id, user_id),
    CONSTRAINT read_mark_chat FOREIGN KEY (match_id)
        REFERENCES handfast_chat.chats (match_id) ON DELETE CASCADE
);

CREATE TABLE handfast_chat.removal (
    one            boolean NOT NULL DEFAULT true,
    through        timestamptz NOT NULL,
    CONSTRAINT removal_pkey PRIMARY KEY (one),
    CONSTRAINT removal_one CHECK (one)
);

COMMENT ON TABLE handfast_chat.removal IS
    'matches that were closed until then have no chat any more: a look begins there, and not with the first match';

INSERT INTO handfast_chat.removal (through) VALUES ('-infinity');
