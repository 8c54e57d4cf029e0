-- What matched people wrote; content is missing once it was removed.
CREATE OR REPLACE VIEW handfast.messages AS
SELECT m.id, m.match_id, m.sender_id, m.content, m.client_message_id, m.created_at, m.read_at,
       m.removed_at, m.number
FROM handfast_chat.messages AS m;

COMMENT ON VIEW handfast.messages IS 'one row for each message';
