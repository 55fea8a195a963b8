from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0015_storage_pass"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE memoryapp_erasurereceipt"
                    " ADD COLUMN choice jsonb NOT NULL DEFAULT '{}';"
                )
            ],
            state_operations=[
                migrations.AddField(
                    "erasurereceipt", "choice", models.JSONField(default=dict)
                ),
            ],
        )
    ]
