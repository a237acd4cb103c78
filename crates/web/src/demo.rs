//! Demo data: loaded once into an empty store, through the services.
