//! The `problems!` macro.

/// Declares the error type of a system: each variant with its description, status, name and title.
///
/// ```
/// use singlet_web::problem::{ApiError, INVALID, Problem};
/// use singlet_web::validate::FieldLocation;
///
/// singlet_web::problems! {
///     /// Why the library refuses a request.
///     pub enum Error {
///         /// Somebody else has the book. Ask again when it is back.
///         BookLent = 409, "book-lent", "The book is lent";
///         /// The library does not have the book.
///         BookNotFound = 404, "book-not-found", "Book not found";
///     }
/// }
///
/// assert_eq!(Error::BookLent.problem_type().status, 409);
/// assert_eq!(Error::TYPES.len(), 2);
/// // Problems with data, and problems of the kit, are in it too.
/// let error: Error = Problem::invalid_field(FieldLocation::Body, "/title", "must not be empty").into();
/// assert_eq!(error.problem_type(), &INVALID);
/// ```
///
/// The enum has two more variants: `Problem`, for problems of the kit and problems with data, and
/// `Store`, for store errors. Both convert with `?`, and so do
/// [`RandomUnavailable`](crate::random::RandomUnavailable), [`BlobError`](crate::blob::BlobError)
/// and [`OutboundError`](crate::outbound::OutboundError). The enum implements [`ApiError`],
/// `Display`, [`std::error::Error`], [`singlet::Retryable`], axum's `IntoResponse`, and conversions
/// from and into [`Problem`].
///
/// [`ApiError`]: crate::problem::ApiError
/// [`Problem`]: crate::problem::Problem
#[macro_export]
macro_rules! problems {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $error:ident {
            $(
                $(#[doc = $description:literal])+
                $variant:ident = $status:literal, $name:literal, $title:literal;
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug)]
        #[non_exhaustive]
        $visibility enum $error {
            $(
                $(#[doc = $description])+
                $variant,
            )+
            /// A problem of the kit: invalid fields, limits, missing permissions.
            Problem($crate::problem::Problem),
            /// The store failed.
            Store($crate::problem::for_macros::singlet::Error),
        }

        const _: () = {
            $(
                #[allow(non_upper_case_globals)]
                static $variant: $crate::problem::ProblemType = $crate::problem::ProblemType {
                    name: $name,
                    status: $status,
                    title: $title,
                    description: ::core::concat!($($description),+),
                };
            )+

            impl $crate::problem::ApiError for $error {
                const TYPES: &'static [&'static $crate::problem::ProblemType] = &[$(&$variant),+];

                fn problem_type(&self) -> &'static $crate::problem::ProblemType {
                    match self {
                        $(Self::$variant => &$variant,)+
                        Self::Problem(problem) => problem.problem_type(),
                        Self::Store(error) => $crate::problem::of_store(error),
                    }
                }
            }
        };

        impl ::core::convert::From<$crate::problem::Problem> for $error {
            fn from(problem: $crate::problem::Problem) -> Self {
                Self::Problem(problem)
            }
        }

        impl ::core::convert::From<$crate::problem::for_macros::singlet::Error> for $error {
            fn from(error: $crate::problem::for_macros::singlet::Error) -> Self {
                Self::Store(error)
            }
        }

        impl ::core::convert::From<$crate::blob::BlobError> for $error {
            fn from(error: $crate::blob::BlobError) -> Self {
                Self::Problem(::core::convert::From::from(error))
            }
        }

        impl ::core::convert::From<$crate::outbound::OutboundError> for $error {
            fn from(error: $crate::outbound::OutboundError) -> Self {
                Self::Problem(::core::convert::From::from(error))
            }
        }

        impl ::core::convert::From<$crate::random::RandomUnavailable> for $error {
            fn from(error: $crate::random::RandomUnavailable) -> Self {
                Self::Problem(::core::convert::From::from(error))
            }
        }

        impl ::core::convert::From<$error> for $crate::problem::Problem {
            fn from(error: $error) -> Self {
                match error {
                    $error::Problem(problem) => problem,
                    $error::Store(error) => ::core::convert::From::from(error),
                    other => Self::new($crate::problem::ApiError::problem_type(&other)),
                }
            }
        }

        /// Lets routes declare problems by enum value.
        impl ::core::convert::From<$error> for &'static $crate::problem::ProblemType {
            fn from(error: $error) -> Self {
                $crate::problem::ApiError::problem_type(&error)
            }
        }

        impl $crate::problem::for_macros::singlet::Retryable for $error {
            fn is_retryable(&self) -> bool {
                match self {
                    Self::Problem(problem) => problem.problem_type() == &$crate::problem::BUSY,
                    Self::Store(error) => $crate::problem::for_macros::singlet::Retryable::is_retryable(error),
                    _ => false,
                }
            }
        }

        impl ::core::fmt::Display for $error {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    Self::Problem(problem) => ::core::fmt::Display::fmt(problem, f),
                    Self::Store(error) => ::core::fmt::Display::fmt(error, f),
                    other => f.write_str($crate::problem::ApiError::problem_type(other).title),
                }
            }
        }

        impl ::std::error::Error for $error {
            fn source(&self) -> ::core::option::Option<&(dyn ::std::error::Error + 'static)> {
                match self {
                    Self::Store(error) => ::std::error::Error::source(error),
                    _ => ::core::option::Option::None,
                }
            }
        }

        impl $crate::problem::for_macros::axum::response::IntoResponse for $error {
            fn into_response(self) -> $crate::problem::for_macros::axum::response::Response {
                let problem: $crate::problem::Problem = ::core::convert::From::from(self);
                $crate::problem::for_macros::axum::response::IntoResponse::into_response(problem)
            }
        }
    };
    // Problem types without an error type: those shared by all systems.
    (
        $(#[$list_attribute:meta])*
        $visibility:vis $list:ident;
        $(
            $(#[doc = $description:literal])+
            $name:ident = $status:literal, $code:literal, $title:literal;
        )+
    ) => {
        $(
            $(#[doc = $description])+
            $visibility static $name: $crate::problem::ProblemType = $crate::problem::ProblemType {
                name: $code,
                status: $status,
                title: $title,
                description: concat!($($description),+),
            };
        )+
        $(#[$list_attribute])*
        $visibility const $list: &[&$crate::problem::ProblemType] = &[$(&$name),+];
    };
}
