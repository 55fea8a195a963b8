-- Takes one token from a bucket; gives back how many are left, or no row when there is none
-- to take. A bucket that nobody has used yet, or not for long, is full.
INSERT INTO memoryapp_ratebucket AS b (id, tokens, at)
VALUES (%(id)s, %(limit)s - 1, clock_timestamp())
ON CONFLICT (id) DO UPDATE SET
    tokens = least(%(limit)s, b.tokens
        + greatest(extract(epoch FROM excluded.at - b.at), 0) * %(limit)s / 60.0) - 1,
    at = greatest(b.at, excluded.at)
    WHERE least(%(limit)s, b.tokens
        + greatest(extract(epoch FROM excluded.at - b.at), 0) * %(limit)s / 60.0) >= 1
RETURNING tokens, xmax = 0 AS made
