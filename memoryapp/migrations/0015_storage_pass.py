from django.conf import settings
from django.db import migrations

# The storage pass completes receipts of everybody, as the owner (as whom migrations run): it
# sees ids, counts and times there. The application only adds receipts.
SQL = """
CREATE POLICY owner_completes ON memoryapp_erasurereceipt TO CURRENT_USER
    USING (true) WITH CHECK (true);
REVOKE UPDATE ON memoryapp_erasurereceipt FROM {app};
"""


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0014_log_head"),
    ]

    operations = [
        migrations.RunSQL([SQL.replace("{app}", settings.DATABASE_APP_ROLE)]),
    ]
