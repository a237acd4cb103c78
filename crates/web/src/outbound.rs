//! HTTP requests to other services.
