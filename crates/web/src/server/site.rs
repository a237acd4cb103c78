//! All systems, opened and ready to be served.

use super::{exchange, home};
use crate::Web;
use crate::cursors;
use crate::idempotency::Idempotency;
use crate::identity::{Identity, LocalIssuer};
use crate::page;
use crate::store::Store;
use crate::system::{OpenError, Opened, Resources, System, SystemInfo};
use axum::Router;
use axum::http::header::{HeaderValue, LOCATION};
use axum::middleware::map_response;
use axum::response::{Redirect, Response};
use axum::routing::get;
use singlet::Db;
use std::collections::BTreeSet;

/// First parts of paths that are the server's own.
const RESERVED_NAMES: &[&str] = &["assets", "jobs", "metrics", "problems"];

/// What can be chosen when systems are opened.
#[derive(Default)]
#[non_exhaustive]
pub struct SiteOptions {
    /// Whose tokens are accepted.
    pub identity: IdentitySource,
    /// Lines for the first page, such as where the data is.
    pub notes: Vec<String>,
}

/// Whose tokens are accepted.
#[derive(Default)]
#[non_exhaustive]
pub enum IdentitySource {
    /// Nobody's: nobody can sign in.
    #[default]
    None,
    /// Those of an issuer.
    Issuer(Identity),
    /// Those of the local issuer, which signs in everybody as anybody. Adds the sign-in page with
    /// the personas of all systems. Only for a server on loopback that keeps its data itself.
    Local(LocalIssuer),
}

/// All systems, opened: ready to be [served](super::Server::serve).
pub struct Site {
    pub(super) router: Router,
    pub(super) identity: Option<Identity>,
    pub(super) idempotency: Idempotency,
}

impl Site {
    /// Opens systems on a store.
    ///
    /// # Errors
    ///
    /// If two systems have one name, or a system cannot be opened.
    pub async fn open(
        mut systems: Vec<System>,
        store: Store,
        options: SiteOptions,
    ) -> Result<Self, OpenError> {
        let identity = match options.identity {
            IdentitySource::None => None,
            IdentitySource::Issuer(identity) => Some(identity),
            IdentitySource::Local(local) => {
                let identity = Identity::local(&local);
                systems.push(local.into_system());
                Some(identity)
            }
        };
        check_names(&systems)?;
        let web: Db<Web> = store.open().await?;
        let store = match store.has_cursor_key() {
            true => store,
            false => store.with_cursor_key(cursors::shared_key(&web).await?),
        };
        let mut routers = Vec::new();
        for system in &systems {
            let resources = Resources {
                system: system.info.name,
                designs: system.designs.clone().into(),
                store: store.clone(),
                web: web.clone(),
            };
            let opened = (system.open)(resources).await?;
            routers.push((system.info.name, router(&system.info, opened)));
        }
        let infos: Vec<&SystemInfo> = systems.iter().map(|system| &system.info).collect();
        let pages = home::pages(&infos, &options.notes);
        let mut router = page::router(page::shared().into_iter().chain(pages));
        for (name, of_system) in routers {
            let path = format!("/{name}");
            // The page of a system is at its name; a slash behind it means the same.
            let without_slash = Redirect::permanent(&path);
            router = router
                .route(&format!("{path}/"), get(async move || without_slash))
                .nest(&path, of_system);
        }
        let router = router
            .fallback(exchange::not_found)
            .method_not_allowed_fallback(exchange::method_not_allowed);
        Ok(Self { router, identity, idempotency: Idempotency::new(web) })
    }
}

fn check_names(systems: &[System]) -> Result<(), OpenError> {
    let mut names: BTreeSet<&str> = RESERVED_NAMES.iter().copied().collect();
    match systems.iter().find(|system| !names.insert(system.info.name)) {
        Some(second) => Err(OpenError::DuplicateName(second.info.name)),
        None => Ok(()),
    }
}

/// Routes and pages of one system, as they stand below its name.
fn router(info: &SystemInfo, opened: Opened) -> Router {
    let Opened { router, pages } = opened;
    let name = info.name;
    router(info)
        .merge(page::router(pages))
        .layer(map_response(async move |response| with_full_location(name, response)))
}

/// Systems do not know the path that they are below.
fn with_full_location(name: &str, mut response: Response) -> Response {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let path = location.filter(|path| path.starts_with('/') && !path.starts_with("//"));
    if let Some(full) = path.and_then(|path| HeaderValue::try_from(format!("/{name}{path}")).ok()) {
        response.headers_mut().insert(LOCATION, full);
    }
    response
}
