//! Runs a test on every backend.

/// Runs each test on every backend. A test is an `async fn name(store: TestStore)` and may return a
/// `Result`.
///
/// Tests on DynamoDB Local are ignored by default: the step `local` of `cargo xtask test` starts it
/// and runs them.
///
/// ```
/// use singlet_testing::{TestStore, on_every_backend};
///
/// on_every_backend! { the_clock_is_fixed }
///
/// async fn the_clock_is_fixed(store: TestStore) {
///     assert_eq!(store.clock.now(), store.clock.now());
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! on_every_backend {
    ($($test:ident),+ $(,)?) => {
        mod memory {
            $(
                #[test]
                fn $test() -> impl ::std::process::Termination {
                    $crate::run(super::$test($crate::TestStore::memory()))
                }
            )+
        }

        mod folder {
            $(
                #[test]
                fn $test() -> impl ::std::process::Termination {
                    $crate::run(super::$test($crate::TestStore::folder()))
                }
            )+
        }

        mod endpoint {
            $(
                #[test]
                fn $test() -> impl ::std::process::Termination {
                    $crate::run(async { super::$test($crate::TestStore::endpoint().await).await })
                }
            )+
        }

        mod local {
            $(
                #[test]
                #[ignore = "needs DynamoDB Local, which `cargo xtask test local` starts"]
                fn $test() -> impl ::std::process::Termination {
                    $crate::run(async {
                        super::$test($crate::TestStore::dynamodb_local().await).await
                    })
                }
            )+
        }
    };
}
