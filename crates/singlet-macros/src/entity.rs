//! `#[derive(Entity)]`: a kind of item, with its keys and access patterns.

mod arguments;
mod key_parts;
mod keys;
mod methods;

use crate::field::Field;
use crate::table::option;
use crate::template::Template;
use arguments::Arguments;
use keys::{FieldKind, Kinds};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Ident};

/// A parsed entity declaration.
struct Entity {
    ident: Ident,
    visibility: syn::Visibility,
    fields: Vec<Field>,
    arguments: Arguments,
    key: KeyTemplates,
    indexes: Vec<KeyTemplates>,
}

/// The templates of a key, and the name of its access pattern.
struct KeyTemplates {
    /// The index; `None` for the primary key.
    index: Option<String>,
    pattern: Ident,
    /// One template per attribute.
    partition: Vec<Template>,
    sort: Vec<Template>,
    /// Condition of the key; unconditional if `None`.
    when: Option<When>,
}

/// The condition of an index key: a field has one of these values.
struct When {
    place: usize,
    field: String,
    values: Vec<String>,
}

impl When {
    fn to_constant(&self) -> TokenStream {
        let Self { place, field, values } = self;
        quote!(::singlet::shape::WhenShape {
            field: #field,
            place: #place,
            values: &[#(#values),*],
        })
    }
}

impl KeyTemplates {
    fn templates(&self) -> impl Iterator<Item = &Template> {
        self.partition.iter().chain(&self.sort)
    }

    /// Positions of the fields in the templates, deduplicated, in order.
    fn places(&self) -> Vec<usize> {
        let mut places = Vec::new();
        for part in self.templates().flat_map(Template::parts) {
            if !places.contains(&part.place) {
                places.push(part.place);
            }
        }
        places
    }

    fn to_constant(&self, fields: &[Field]) -> TokenStream {
        let pattern = self.pattern.to_string();
        let partition = self.partition.iter().map(|template| template.to_constant(fields));
        let sort = self.sort.iter().map(|template| template.to_constant(fields));
        quote!(::singlet::shape::KeyShape {
            pattern: #pattern,
            partition: &[#(#partition),*],
            sort: &[#(#sort),*],
        })
    }
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let entity = match Entity::new(&input) {
        Ok(entity) => entity,
        Err(error) => {
            let (error, stub) = (error.to_compile_error(), stub(&input));
            return quote!(#error #stub);
        }
    };
    let kinds = Kinds::of(&entity);
    let implementation = entity.implementation(&kinds);
    let key_parts = key_parts::expand(&entity);
    // After an error, generate the rest, or every use of it would be an error too.
    if let Err(error) = methods::check(&entity, &kinds) {
        let error = error.to_compile_error();
        return quote!(#error #implementation #key_parts);
    }
    let methods = methods::expand(&entity, &kinds);
    if let Err(error) = kinds.check(&entity) {
        let error = error.to_compile_error();
        return quote!(#error #implementation #methods #key_parts);
    }
    let (ident, table) = (&entity.ident, &entity.arguments.table);
    let shared = &entity.arguments.shares_key_with;
    let checks = quote_spanned! {ident.span()=>
        const _: () = {
            ::singlet::table::assert_listed::<#table, #ident>();
            #(::singlet::table::assert_listed::<#table, #shared>();)*
            ::singlet::check::entity(
                &<#ident as ::singlet::Entity>::SHAPE,
                <#table as ::singlet::Table>::SHAPE,
            );
        };
    };
    quote! {
        #implementation
        #methods
        #key_parts
        #checks
    }
}

/// An implementation for a declaration with an error. Without it, every use of the entity would be
/// an error too. The library's checks skip it.
fn stub(input: &DeriveInput) -> Option<TokenStream> {
    let table = Arguments::table_of(input)?;
    let (ident, name) = (&input.ident, input.ident.to_string());
    let (generics, types, bounds) = input.generics.split_for_impl();
    Some(quote! {
        impl #generics ::singlet::Entity for #ident #types #bounds {
            type Table = #table;
            const SHAPE: ::singlet::shape::EntityShape =
                ::singlet::shape::EntityShape::refused(#name);

            fn values(
                &self,
            ) -> ::std::result::Result<
                ::std::vec::Vec<::std::option::Option<::singlet::dynamo::Value>>,
                ::singlet::attribute::NotStorable,
            > {
                ::std::unreachable!()
            }

            fn decode(
                _: &mut ::singlet::item::Reader<'_>,
            ) -> ::std::result::Result<Self, ::singlet::Corrupt> {
                ::std::unreachable!()
            }
        }
    })
}

/// Rejects `with = serde` on key fields: serde may write any type.
fn refuse_serde_in_keys<'k>(
    fields: &[Field],
    keys: impl Iterator<Item = &'k KeyTemplates>,
) -> syn::Result<()> {
    for part in keys.flat_map(KeyTemplates::places) {
        if let Some(span) = fields.get(part).and_then(|field| field.options.with_serde) {
            return Err(syn::Error::new(
                span,
                "a part of a key has a text of its own, and what serde writes may be anything: use a type that is a key part, such as one made by `id!`",
            ));
        }
    }
    Ok(())
}

impl Entity {
    fn new(input: &DeriveInput) -> syn::Result<Self> {
        let ident = input.ident.clone();
        let Data::Struct(data) = &input.data else {
            return Err(syn::Error::new(ident.span(), "an entity is a struct with named fields"));
        };
        let fields = Field::all(&data.fields, ident.span(), "an entity")?;
        let arguments = Arguments::of(input)?;
        let key = arguments.key.resolve(None, &fields)?;
        let mut indexes = Vec::with_capacity(arguments.indexes.len());
        for (name, declared) in &arguments.indexes {
            indexes.push(declared.resolve(Some(name.value()), &fields)?);
        }
        refuse_serde_in_keys(&fields, std::iter::once(&key).chain(&indexes))?;
        let visibility = input.vis.clone();
        Ok(Self { ident, visibility, fields, arguments, key, indexes })
    }

    /// Name of a field's attribute.
    fn attribute(&self, field: &Field) -> String {
        field.attribute(self.arguments.rename_all)
    }

    fn implementation(&self, kinds: &Kinds) -> TokenStream {
        let Self { ident, fields, arguments, key, indexes, .. } = self;
        let (name, table) = (ident.to_string(), &arguments.table);
        let key = key.to_constant(fields);
        let indexes = indexes.iter().map(|of_index| {
            let (index, key) = (of_index.index.as_deref(), of_index.to_constant(fields));
            let when = option(of_index.when.as_ref().map(When::to_constant));
            quote!(::singlet::shape::IndexKeyShape { index: #index, key: #key, when: #when })
        });
        let (shapes, stored) = (self.field_shapes(kinds), self.stored_places(kinds));
        let discriminator = option(arguments.discriminator.as_ref().map(|(attribute, value)| {
            let value = value.as_ref().map_or_else(|| name.clone(), syn::LitStr::value);
            quote!((#attribute, #value))
        }));
        let payload = option(arguments.payload.as_ref().map(|attribute| quote!(#attribute)));
        let shared = arguments.shares_key_with.iter().filter_map(|path| path.segments.last());
        let shared = shared.map(|last| last.ident.to_string());
        let expires = fields.iter().any(|field| field.options.ttl.is_some());
        let values = fields.iter().map(|field| {
            let ident = &field.ident;
            let value = field.to_value(&quote!(&self.#ident));
            quote!(#value?)
        });
        let reads = self.reads(kinds);
        let defaults = self.defaults();
        let idents = fields.iter().map(|field| &field.ident);
        quote! {
            impl ::singlet::Entity for #ident {
                type Table = #table;
                const SHAPE: ::singlet::shape::EntityShape = ::singlet::shape::EntityShape {
                    name: #name,
                    key: #key,
                    indexes: &[#(#indexes),*],
                    fields: &[#(#shapes),*],
                    stored: &[#(#stored),*],
                    discriminator: #discriminator,
                    payload: #payload,
                    expires: #expires,
                    shares_key_with: &[#(#shared),*],
                };

                fn values(
                    &self,
                ) -> ::std::result::Result<
                    ::std::vec::Vec<::std::option::Option<::singlet::dynamo::Value>>,
                    ::singlet::attribute::NotStorable,
                > {
                    ::std::result::Result::Ok(::std::vec![#(#values),*])
                }

                fn decode(
                    __item: &mut ::singlet::item::Reader<'_>,
                ) -> ::std::result::Result<Self, ::singlet::Corrupt> {
                    #reads
                    ::std::result::Result::Ok(Self { #(#idents),* })
                }

                #defaults
            }
        }
    }

    /// Positions of the fields stored as attributes, ordered by attribute name.
    fn stored_places(&self, kinds: &Kinds) -> Vec<usize> {
        let fields = self.fields.iter().zip(&kinds.kinds).enumerate();
        let stored = fields.filter(|(_, (field, kind))| {
            field.options.in_key.is_none() && **kind != FieldKind::InPayload
        });
        let mut named: Vec<(String, usize)> =
            stored.map(|(place, (field, _))| (self.attribute(field), place)).collect();
        named.sort();
        named.into_iter().map(|(_, place)| place).collect()
    }

    fn field_shapes<'a>(&'a self, kinds: &'a Kinds) -> impl Iterator<Item = TokenStream> + 'a {
        self.fields.iter().zip(&kinds.kinds).map(|(field, kind)| {
            let (name, attribute) = (&field.name, self.attribute(field));
            let ty = field.stored_type();
            let mut shape = quote!(::singlet::shape::FieldShape::new::<#ty>(#name, #attribute));
            let options = &field.options;
            let storage = if options.ttl.is_some() {
                Some(quote!(Expiry))
            } else if options.in_key.is_some() {
                Some(quote!(Key))
            } else {
                (*kind == FieldKind::InPayload).then(|| quote!(Payload))
            };
            if let Some(storage) = storage {
                shape = quote!(#shape.stored(::singlet::shape::Storage::#storage));
            }
            let keepers = [(options.created, quote!(Created)), (options.updated, quote!(Updated))];
            for (_, keeper) in keepers.iter().filter(|(given, _)| given.is_some()) {
                shape = quote!(#shape.kept(::singlet::shape::Keeper::#keeper));
            }
            if options.version.is_some() {
                shape = quote_spanned!(field.ty.span()=> #shape.kept_version::<#ty>());
            }
            if options.null.is_some() {
                shape = quote!(#shape.with_null());
            }
            if options.default.is_some() {
                shape = quote!(#shape.with_default());
            }
            shape
        })
    }

    /// Generates the default values of fields, for projections.
    fn defaults(&self) -> Option<TokenStream> {
        let fields = self.fields.iter().enumerate();
        let fields = fields.filter(|(_, field)| {
            let options = &field.options;
            // Fields stored in a key or as the TTL are always present.
            options.default.is_some() && options.ttl.is_none() && options.in_key.is_none()
        });
        let defaults: Vec<TokenStream> = fields
            .map(|(place, field)| {
                let ty = field.stored_type();
                quote! {
                    #place => ::std::option::Option::Some(::std::boxed::Box::new(
                        <#ty as ::std::default::Default>::default()
                    )),
                }
            })
            .collect();
        (!defaults.is_empty()).then(|| {
            quote! {
                fn default_of(
                    place: usize,
                ) -> ::std::option::Option<::std::boxed::Box<dyn ::std::any::Any>> {
                    match place {
                        #(#defaults)*
                        _ => ::std::option::Option::None,
                    }
                }
            }
        })
    }

    /// Generates code that reads each field into a variable with its name.
    fn reads(&self, kinds: &Kinds) -> TokenStream {
        let (mut beside, mut within, mut elsewhere) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (field, kind)) in self.fields.iter().zip(&kinds.kinds).enumerate() {
            let (ident, attribute) = (&field.ident, self.attribute(field));
            let read = match field.options.default {
                Some(_) => quote!(read_or_default),
                None => quote!(read),
            };
            let read = match field.options.with_serde {
                Some(_) => {
                    let ty = field.stored_type();
                    quote!(#read::<#ty>)
                }
                None => read,
            };
            if field.options.ttl.is_some() {
                elsewhere.push(quote!(let #ident = __item.read_expiry()?;));
                continue;
            }
            if field.options.in_key.is_some() {
                elsewhere.push(quote!(let #ident = __item.read_from_key(#place)?;));
            } else if *kind == FieldKind::InPayload {
                let read =
                    field.unwrap_stored(quote!(__item.in_payload(__payload.#read(#attribute))?));
                let read = quote!(let #ident = #read;);
                within.push((attribute, read));
            } else {
                let read = field.unwrap_stored(quote!(__item.#read(#attribute)?));
                let read = quote!(let #ident = #read;);
                beside.push((attribute, read));
            }
        }
        // Stored attributes are sorted by name; read them in that order.
        beside.sort_by(|(a, _), (b, _)| a.cmp(b));
        within.sort_by(|(a, _), (b, _)| a.cmp(b));
        let beside = beside.into_iter().map(|(_, read)| read);
        let payload = (!within.is_empty()).then(|| {
            let within = within.into_iter().map(|(_, read)| read);
            quote! {
                let __payload = __item.payload()?;
                let mut __payload = __item.in_payload(__payload.members())?;
                #(#within)*
            }
        });
        quote! {
            #(#beside)*
            #payload
            #(#elsewhere)*
        }
    }
}
