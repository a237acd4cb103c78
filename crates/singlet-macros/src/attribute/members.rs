//! Named fields of a struct or variant, as members of a map.

use crate::case::Case;
use crate::field::Field;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

/// Fields with their stored names, sorted by name: they are read in that order.
pub(super) struct Members<'f>(Vec<(String, &'f Field)>);

impl<'f> Members<'f> {
    pub(super) fn of(fields: &'f [Field], case: Option<Case>) -> syn::Result<Self> {
        let mut sorted: Vec<(String, &Field)> = Vec::with_capacity(fields.len());
        for field in fields {
            field.options.refuse_entity_options()?;
            sorted.push((field.attribute(case), field));
        }
        sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
        if let Some([_, (twice, field)]) = sorted.array_windows().find(|[(a, _), (b, _)]| a == b) {
            let message = format!("two members are called `{twice}`");
            return Err(syn::Error::new(field.ident.span(), message));
        }
        Ok(Self(sorted))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'f Field)> {
        self.0.iter().map(|(stored, field)| (stored.as_str(), *field))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(stored, _)| stored.as_str())
    }

    /// Statements that write the members to `__members`, given a reference to each field.
    pub(super) fn writes(&self, reference: impl Fn(&Field) -> TokenStream) -> TokenStream {
        let writes = self.iter().map(|(stored, field)| {
            let value = field.to_value(&reference(field));
            let otherwise = match field.options.null {
                Some(_) => quote!(.or(::std::option::Option::Some(::singlet::dynamo::Value::Null))),
                None => TokenStream::new(),
            };
            quote! {
                ::singlet::attribute::push_member(&mut __members, #stored, #value? #otherwise);
            }
        });
        quote!(#(#writes)*)
    }

    /// Statements that read the members from `__members` into variables.
    pub(super) fn reads(&self) -> TokenStream {
        let reads = self.iter().map(|(stored, field)| {
            let (variable, stored_type) = (variable(field), field.stored_type());
            let read = match field.options.default {
                Some(_) => quote!(__members.read_or_default::<#stored_type>(#stored)?),
                None => quote!(__members.read::<#stored_type>(#stored)?),
            };
            let own = field.unwrap_stored(read);
            quote!(let #variable = #own;)
        });
        quote!(#(#reads)*)
    }

    /// The fields and their variables, as a braced struct body.
    pub(super) fn braces(&self) -> TokenStream {
        let fields = self.iter().map(|(_, field)| {
            let (ident, variable) = (&field.ident, variable(field));
            quote!(#ident: #variable)
        });
        quote!({ #(#fields),* })
    }
}

/// A variable name for a field that cannot collide with others.
pub(super) fn variable(field: &Field) -> Ident {
    format_ident!("__field_{}", field.name)
}
