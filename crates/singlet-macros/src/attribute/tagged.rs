//! Enums with data, stored as tagged maps.

use super::generics::bounded;
use super::members::{Members, variable};
use super::options::{TypeOptions, VariantOptions};
use super::{expected, refuse_equal_names, variant_name};
use crate::field::Field;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DataEnum, DeriveInput, Fields, Ident};

/// Representation of the variant's name.
enum Tagging {
    /// A tag member next to the variant's members.
    Internal { tag: String },
    /// A tag member and a content member.
    Adjacent { tag: String, content: String },
    /// A map with the variant's name as its only member; a unit variant is text.
    External,
}

/// A parsed variant.
struct Variant<'v> {
    ident: &'v Ident,
    /// The stored name.
    name: String,
    options: VariantOptions,
    content: Content,
}

/// Data of a variant.
enum Content {
    Nothing,
    /// Named fields.
    Members(Vec<Field>),
    /// One unnamed value.
    Value(Box<Field>),
}

impl Content {
    fn fields(&self) -> &[Field] {
        match self {
            Self::Nothing => &[],
            Self::Members(fields) => fields,
            Self::Value(field) => std::slice::from_ref(field),
        }
    }
}

pub(super) fn expand(
    input: &DeriveInput,
    data: &DataEnum,
    options: &TypeOptions,
) -> syn::Result<TokenStream> {
    let tagging = match (options.externally_tagged, &options.content) {
        (Some(_), _) => Tagging::External,
        (None, Some(content)) => Tagging::Adjacent { tag: options.tag(), content: content.value() },
        (None, None) => Tagging::Internal { tag: options.tag() },
    };
    let mut variants = Vec::with_capacity(data.variants.len());
    for variant in &data.variants {
        variants.push(Variant::of(variant, options)?);
    }
    let named: Vec<(&Ident, &str)> =
        variants.iter().map(|variant| (variant.ident, variant.name.as_str())).collect();
    refuse_equal_names(&named)?;
    let expected = expected(variants.iter().map(|variant| variant.name.as_str()));

    let (mut writes, mut reads, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    let mut member_names: Vec<String> = Vec::new();
    for variant in &variants {
        let fields = match &variant.content {
            Content::Members(fields) => fields.as_slice(),
            Content::Nothing | Content::Value(_) => &[],
        };
        let case = variant.options.rename_all.or(options.rename_all_fields);
        let members = Members::of(fields, case)?;
        if let Tagging::Internal { tag } = &tagging {
            variant.refuse_member(&members, tag)?;
            member_names.extend(members.names().map(str::to_owned));
            checks.extend(variant.check(input, tag)?);
        }
        writes.push(variant.write(&members, &tagging));
        reads.push(variant.read(&members, &tagging));
    }
    if let Tagging::Internal { tag } = &tagging {
        member_names.push(tag.clone());
    }
    member_names.sort();
    member_names.dedup();

    let (name, visibility) = (&input.ident, &input.vis);
    let (parameters, arguments, conditions) = input.generics.split_for_impl();
    let fields = variants.iter().flat_map(|variant| variant.content.fields());
    let bounded = bounded(&input.generics, fields);
    let fields = variants.iter().flat_map(|variant| variant.content.fields());
    let kinds = fields.map(|field| field.kind_within(name));
    let (bounded, _, _) = bounded.split_for_impl();
    let constant = match &tagging {
        Tagging::Internal { tag } | Tagging::Adjacent { tag, .. } => {
            let about =
                format!("The member `{tag}`, which says what variant it is, for conditions.");
            Some(quote! {
                #[allow(dead_code)]
                impl #parameters #name #arguments #conditions {
                    #[doc = #about]
                    #visibility const TAG: ::singlet::field::Member<Self, ::std::string::String> =
                        ::singlet::field::Member::new(#tag);
                }
            })
        }
        Tagging::External => None,
    };
    let (told, tag) = match &tagging {
        Tagging::Internal { tag } | Tagging::Adjacent { tag, .. } => (
            quote!(let __variant = ::singlet::attribute::tagged::variant(__value, #tag, #expected)?;),
            quote!(::std::option::Option::Some(#tag)),
        ),
        Tagging::External => (
            quote! {
                let (__variant, __content) =
                    ::singlet::attribute::tagged::split(__value, #expected)?;
            },
            quote!(::std::option::Option::None),
        ),
    };
    // Checks of generic types have to wait for monomorphization.
    let is_generic = input.generics.type_params().next().is_some();
    let (early, late) = match is_generic {
        true => (quote!(), quote!(#(const { #checks };)*)),
        false => (quote!(#(const _: () = #checks;)*), quote!()),
    };
    Ok(quote! {
        #constant
        #early

        impl #bounded ::singlet::Attribute for #name #arguments #conditions {
            const KIND: ::singlet::design::AttributeType =
                ::singlet::design::AttributeType::of_members(
                    &[#(#kinds),*],
                );
            const MEMBERS: &'static [&'static str] = &[#(#member_names),*];

            fn to_value(
                &self,
            ) -> ::std::result::Result<
                ::std::option::Option<::singlet::dynamo::Value>,
                ::singlet::attribute::NotStorable,
            > {
                #late
                ::std::result::Result::Ok(::std::option::Option::Some(match self {
                    #(#writes)*
                }))
            }

            fn from_value(
                __value: ::std::option::Option<::singlet::dynamo::binary::ValueRef<'_>>,
            ) -> ::std::result::Result<Self, ::singlet::attribute::Mismatch> {
                #told
                ::std::result::Result::Ok(match __variant {
                    #(#reads)*
                    other => {
                        return ::std::result::Result::Err(
                            ::singlet::attribute::tagged::unknown(other, #tag, #expected),
                        );
                    }
                })
            }
        }
    })
}

impl<'v> Variant<'v> {
    fn of(variant: &'v syn::Variant, options: &TypeOptions) -> syn::Result<Self> {
        let ident = &variant.ident;
        let content = match &variant.fields {
            Fields::Unit => Content::Nothing,
            Fields::Named(_) => {
                Content::Members(Field::all(&variant.fields, ident.span(), "a variant")?)
            }
            Fields::Unnamed(fields) => {
                let mut unnamed = fields.unnamed.iter();
                match (unnamed.next(), unnamed.next()) {
                    (Some(field), None) => Content::Value(Box::new(Field::unnamed(field)?)),
                    _ => {
                        return Err(syn::Error::new(
                            ident.span(),
                            "a variant without names holds one value; give several fields names, under which they are stored",
                        ));
                    }
                }
            }
        };
        let own = VariantOptions::of(variant)?;
        let name = variant_name(ident, own.rename.as_ref(), options.rename_all);
        Ok(Self { ident, name, options: own, content })
    }

    /// Rejects a member with the same name as the tag.
    fn refuse_member(&self, members: &Members<'_>, tag: &str) -> syn::Result<()> {
        match members.iter().find(|(stored, _)| *stored == tag) {
            Some((_, field)) => Err(syn::Error::new(
                field.ident.span(),
                format!(
                    "the member `{tag}` says which variant it is; rename this field, or the tag: `#[attribute(tag = \"…\")]`"
                ),
            )),
            None => Ok(()),
        }
    }

    /// Checks that the variant's value leaves room for the tag.
    fn check(&self, input: &DeriveInput, tag: &str) -> syn::Result<Option<TokenStream>> {
        let Content::Value(field) = &self.content else { return Ok(None) };
        if let Some(span) = field.options.with_serde {
            return Err(syn::Error::new(
                span,
                "what serde writes may be anything, and the tag has no place in it: store it beside the tag, `#[attribute(content = \"value\")]`",
            ));
        }
        let (name, variant) = (input.ident.to_string(), self.ident.to_string());
        let (ty, span) = (&field.ty, self.ident.span());
        Ok(Some(quote_spanned! {span=>
            ::singlet::check::tagged_variant::<#ty>(#name, #variant, #tag)
        }))
    }

    /// The match arm that writes the variant.
    fn write(&self, members: &Members<'_>, tagging: &Tagging) -> TokenStream {
        let (ident, name) = (self.ident, &self.name);
        let tagged = quote!(::singlet::attribute::tagged);
        match &self.content {
            Content::Nothing => {
                let value = match tagging {
                    Tagging::Internal { tag } => {
                        quote!(#tagged::internally(#tag, #name, ::std::vec::Vec::new()))
                    }
                    Tagging::Adjacent { tag, .. } => {
                        quote!(#tagged::adjacently(#tag, #name, ::std::option::Option::None))
                    }
                    Tagging::External => quote!(::singlet::dynamo::Value::from(#name)),
                };
                quote!(Self::#ident => #value,)
            }
            Content::Members(_) => {
                let braces = members.braces();
                let writes = members.writes(|field| {
                    let variable = variable(field);
                    quote!(#variable)
                });
                let map = quote! {
                    ::singlet::dynamo::Value::M(::singlet::dynamo::Map::from_entries(__members))
                };
                let value = match tagging {
                    Tagging::Internal { tag } => {
                        quote!(#tagged::internally(#tag, #name, __members))
                    }
                    Tagging::Adjacent { tag, content } => quote! {
                        #tagged::adjacently(
                            #tag, #name, ::std::option::Option::Some((#content, #map)),
                        )
                    },
                    Tagging::External => {
                        quote!(#tagged::externally(#name, ::std::option::Option::Some(#map)))
                    }
                };
                let count = members.len() + 1;
                quote! {
                    Self::#ident #braces => {
                        let mut __members = ::std::vec::Vec::with_capacity(#count);
                        #writes
                        #value
                    }
                }
            }
            Content::Value(field) => {
                let to_value = field.to_value(&quote!(__content));
                let value = match tagging {
                    Tagging::Internal { tag } => {
                        quote!(#tagged::write_inside(#tag, #name, __content)?)
                    }
                    Tagging::Adjacent { tag, content } => quote! {
                        #tagged::adjacently(#tag, #name, #to_value?.map(|value| (#content, value)))
                    },
                    Tagging::External => quote!(#tagged::externally(#name, #to_value?)),
                };
                quote!(Self::#ident(__content) => #value,)
            }
        }
    }

    /// The match arm that reads the variant.
    fn read(&self, members: &Members<'_>, tagging: &Tagging) -> TokenStream {
        let (ident, name) = (self.ident, &self.name);
        let tagged = quote!(::singlet::attribute::tagged);
        // The content, and its path for errors.
        let (content, within) = match tagging {
            Tagging::Internal { .. } => (quote!(__value), quote!()),
            Tagging::Adjacent { content, .. } => (
                quote!(#tagged::content(__value, #content)),
                quote!(.map_err(|mismatch| mismatch.within(#content))),
            ),
            Tagging::External => {
                (quote!(__content), quote!(.map_err(|mismatch| mismatch.within(#name))))
            }
        };
        match &self.content {
            Content::Nothing => quote!(#name => Self::#ident,),
            Content::Members(_) => {
                let (reads, braces) = (members.reads(), members.braces());
                let read = quote! {
                    let mut __members = ::singlet::attribute::Members::of(#content)?;
                    #reads
                };
                match tagging {
                    Tagging::Internal { .. } => quote! {
                        #name => {
                            #read
                            Self::#ident #braces
                        }
                    },
                    Tagging::Adjacent { .. } | Tagging::External => quote! {
                        #name => {
                            let read = || -> ::std::result::Result<
                                Self,
                                ::singlet::attribute::Mismatch,
                            > {
                                #read
                                ::std::result::Result::Ok(Self::#ident #braces)
                            };
                            read() #within ?
                        }
                    },
                }
            }
            Content::Value(field) => {
                let stored = field.stored_type();
                let own = match tagging {
                    Tagging::Internal { tag } => {
                        quote!(#tagged::read_inside::<#stored>(__value, #tag)?)
                    }
                    Tagging::Adjacent { .. } | Tagging::External => field.unwrap_stored(quote! {
                        <#stored as ::singlet::Attribute>::from_value(#content) #within ?
                    }),
                };
                quote!(#name => Self::#ident(#own),)
            }
        }
    }
}
