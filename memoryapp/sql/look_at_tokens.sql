-- How many tokens a bucket holds by now, fewer than one; takes none.
SELECT least(%(limit)s, tokens
    + greatest(extract(epoch FROM clock_timestamp() - at), 0) * %(limit)s / 60.0)
FROM memoryapp_ratebucket WHERE id = %(id)s
