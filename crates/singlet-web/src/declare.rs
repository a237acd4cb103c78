//! Macros for what every system declares alike: bodies of requests, bodies of responses, and routes
//! that only call an operation.

/// Declares request bodies: camelCase structs with public fields that reject unknown fields.
/// `Deserialize` and `JsonSchema` must be in scope.
///
/// ```
/// use singlet_web::prelude::*;
///
/// singlet_web::inputs! {
///     /// A new player.
///     NewPlayer {
///         first_name: Name<50>,
///         #[schemars(range(max = 99))]
///         shirt: Option<u8>,
///     }
/// }
///
/// let new: NewPlayer = serde_json::from_str(r#"{"firstName": "Ann"}"#).unwrap();
/// assert_eq!((new.first_name.as_str(), new.shirt), ("Ann", None));
/// ```
#[macro_export]
macro_rules! inputs {
    ($(
        $(#[$attribute:meta])*
        $name:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty,)+ }
    )+) => {
        $(
            #[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
            $(#[$attribute])*
            #[serde(deny_unknown_fields, rename_all = "camelCase")]
            pub struct $name {
                $($(#[$field_attribute])* pub $field: $type,)+
            }
        )+
    };
}

/// Declares response bodies: camelCase structs with public fields. A field with `?` is left out when
/// it has no value. `Serialize` and `JsonSchema` must be in scope.
///
/// ```
/// use singlet_web::prelude::*;
///
/// singlet_web::views! {
///     PlayerView {
///         first_name: String,
///         shirt?: u8,
///     }
/// }
///
/// let view = PlayerView { first_name: "Ann".to_owned(), shirt: None };
/// assert_eq!(serde_json::to_string(&view).unwrap(), r#"{"firstName":"Ann"}"#);
/// ```
#[macro_export]
macro_rules! views {
    ($(
        $(#[$attribute:meta])*
        $name:ident {
            $($(#[$field_attribute:meta])* $field:ident $(?: $optional:ty)? $(: $type:ty)?,)+
        }
    )+) => {
        $(
            #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
            $(#[$attribute])*
            #[serde(rename_all = "camelCase")]
            pub struct $name {
                $(
                    $(#[$field_attribute])*
                    $(pub $field: $type,)?
                    $(
                        #[serde(skip_serializing_if = "Option::is_none")]
                        pub $field: Option<$optional>,
                    )?
                )+
            }
        )+
    };
}

/// Declares functions of routes that call an operation of the state with the caller, the ids in the
/// path, and one more part of the request: `route = operation(ids)[part] -> response`. Without a
/// response it is 204. `State` of the system is named `App`, its error `Error`.
///
/// ```
/// use singlet_web::problem::Problem as Error;
/// use singlet_web::prelude::*;
///
/// #[derive(Clone)]
/// struct Service;
///
/// impl Service {
///     async fn rename(&self, _: &Caller, id: &u32, name: &Name<50>) -> Result<String, Error> {
///         Ok(format!("{id} is {}", name.as_str()))
///     }
/// }
///
/// type App = State<Service>;
///
/// singlet_web::forward! {
///     rename_player = rename(player: u32)[name: Body<Name<50>>] -> String;
/// }
///
/// let route = Route::put("/players/{player}", rename_player).about("Renames a player.");
/// # drop(route);
/// ```
#[macro_export]
macro_rules! forward {
    ($(
        $route:ident = $operation:ident($($id:ident: $id_type:ty),+)
            $([$part:ident: $type:ty])? $(-> $answer:ty)?;
    )+) => {
        $($crate::forward!(
            @ $route $operation ($($id: $id_type),+) ($($part: $type)?) $($answer)?
        );)+
    };
    (
        @ $route:ident $operation:ident ($($id:ident: $id_type:ty),+)
        ($($part:ident: $type:ty)?) $($answer:ty)?
    ) => {
        #[allow(unused_parens, reason = "one id is a path without a tuple")]
        async fn $route(
            app: App,
            by: $crate::identity::Caller,
            $crate::api::Path(($($id),+)): $crate::api::Path<($($id_type),+)>,
            $($part: $type)?
        ) -> ::core::result::Result<$crate::forward!(@reply $($answer)?), Error> {
            let answer = app.$operation(&by, $(&$id,)+ $(&$part)?).await?;
            ::core::result::Result::Ok($crate::forward!(@wrap answer $($answer)?))
        }
    };
    (@reply) => { $crate::api::NoContent };
    (@reply $answer:ty) => { $crate::api::Json<$answer> };
    (@wrap $value:ident) => {{ let () = $value; $crate::api::NoContent }};
    (@wrap $value:ident $answer:ty) => { $crate::api::Json($value) };
}
