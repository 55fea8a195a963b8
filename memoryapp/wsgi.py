"""The WSGI entry point, for any such server: the page and the API, without what streams."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
application = get_wsgi_application()
