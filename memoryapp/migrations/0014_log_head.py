from django.db import migrations

# Appending looks up the chain's head for every row. What the planner knows of a log that has
# just grown is old, and without this it may read the whole log each time.
SQL = "ALTER FUNCTION memoryapp_audit_append() SET enable_seqscan = off;"


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0013_names"),
    ]

    operations = [migrations.RunSQL(SQL)]
