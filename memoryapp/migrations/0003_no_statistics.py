from django.db import migrations

# Names of people, titles and hashes of values are content too: Postgres's statistics would
# keep some of them after an erasure. An index on an expression has statistics of its own.
SQL = """
ALTER TABLE memoryapp_conversation ALTER COLUMN title SET STATISTICS 0;
ALTER TABLE memoryapp_fact ALTER COLUMN subject SET STATISTICS 0;
ALTER TABLE memoryapp_fact ALTER COLUMN scope SET STATISTICS 0;
ALTER TABLE memoryapp_decision ALTER COLUMN subject SET STATISTICS 0;
ALTER TABLE memoryapp_decision ALTER COLUMN scope SET STATISTICS 0;
DO $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT i.indexrelid::regclass AS index, a.attnum AS number
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid AND c.relkind = 'r'
            AND c.relname LIKE 'memoryapp\\_fact\\_%'
        JOIN pg_attribute a ON a.attrelid = i.indexrelid AND i.indkey[a.attnum - 1] = 0
    LOOP
        EXECUTE format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS 0', part.index, part.number);
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0002_reveal_content"),
    ]

    operations = [migrations.RunSQL([SQL], migrations.RunSQL.noop)]
