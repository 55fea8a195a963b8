import django.contrib.postgres.fields
from django.db import migrations, models

import accounts.origins


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0002_application_access"),
    ]

    operations = [
        migrations.AddField(
            model_name="application",
            name="embed_origins",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    max_length=200, validators=[accounts.origins.validate_origin]
                ),
                blank=True,
                default=list,
                size=None,
                verbose_name="sites that may show the page",
            ),
        ),
        migrations.AddField(
            model_name="pagelink",
            name="embed",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="pagelink",
            name="theme",
            field=models.JSONField(default=dict),
        ),
    ]
