//! The model of a kernel: its signature sorted into what the launch sees and what each thread constructs on the device.
//!
//! Reading is total: whatever the user wrote gets a kind, mistakes included. [`crate::check`] says which kinds are mistakes.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{
    Expr, ExprPath, FnArg, GenericArgument, Generics, ItemFn, Pat, PatIdent, PatType,
    PathArguments, PathSegment, Safety, Type, TypeParamBound, TypeReference, WherePredicate,
};

use crate::arguments::Arguments;
use crate::enclosing::Enclosing;

/// A function marked `#[kernel]`, as the user wrote it, and what its parameters are.
pub(crate) struct Kernel {
    pub(crate) arguments: Arguments,
    pub(crate) item: ItemFn,
    /// Parameters with a plain name, in order. `self` and patterns are not among them.
    pub(crate) params: Vec<Param>,
    /// The `impl` or trait that it stands in, if that is known.
    pub(crate) enclosing: Option<Enclosing>,
}

/// A parameter.
pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) mutable: bool,
    pub(crate) ty: Type,
    pub(crate) kind: ParamKind,
}

/// What a parameter is, by the last segment of its type's path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ParamKind {
    /// `Index1D` to `Index3D`, with the number of dimensions.
    Index(u8),
    /// `Block`, `Warp`, `Grid`.
    Group,
    /// `Cluster`.
    Cluster,
    /// `CooperativeGrid`: made of a word of device memory, which the launch passes implicitly.
    CooperativeGrid,
    /// `SharedTile<T, N>`, `DoubleTile<T, N>` or `SharedPatches<T, ..>`, with its index among the tiles of this kernel.
    SharedTile(usize),
    /// `DynamicShared<T>`.
    DynamicShared,
    /// `&[T]`.
    Slice(Type),
    /// `DisjointSlice<T, S>`.
    Output(Type),
    /// `DisjointSlice2D<T>`.
    Output2D(Type),
    /// `AppendSlice<T>`.
    Append(Type),
    /// A value whose type is a type parameter bounded by `Fn`, `FnMut` or `FnOnce`.
    Closure,
    /// `*const T` or `*mut T`.
    Pointer,
    /// `GridConst<T>`.
    GridConst(Type),
    /// `TensorSource<T, R>`.
    TensorSource(Type, Expr),
    /// `TensorTarget<T, R>`.
    TensorTarget(Type, Expr),
    /// `Texture2d<T, R>` and so on.
    Texture,
    /// `Surface2d<T, A>` and so on.
    Surface,
    /// Any other value.
    Value,
    /// Something that no launch can hand over.
    Refused(Refused),
}

/// Parameter types that are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    MutSlice,
    MutReference,
    Reference,
    Text,
    WitnessReference,
    HostOwned,
    HostHandle,
    Leader,
    SharedArray,
    ReferenceElement,
    ImplTrait,
    FnPointer,
    ElementMissing,
    RankMissing,
}

impl Kernel {
    pub(crate) fn read(arguments: Arguments, item: ItemFn, enclosing: Option<Enclosing>) -> Self {
        let mut tiles = 0;
        let params = item
            .sig
            .inputs
            .iter()
            .filter_map(|input| named(input))
            .map(|(pat, typed)| {
                let mut kind = classify(&typed.ty, &item.sig.generics);
                if let ParamKind::SharedTile(ordinal) = &mut kind {
                    *ordinal = tiles;
                    tiles += 1;
                }
                Param {
                    name: pat.ident.clone(),
                    mutable: pat.mutability.is_some(),
                    ty: (*typed.ty).clone(),
                    kind,
                }
            })
            .collect();
        Kernel {
            arguments,
            item,
            params,
            enclosing,
        }
    }

    pub(crate) fn name(&self) -> &Ident {
        &self.item.sig.ident
    }

    /// Whether it is written as a method, with a `self`.
    pub(crate) fn has_receiver(&self) -> bool {
        matches!(self.item.sig.inputs.first(), Some(FnArg::Receiver(_)))
    }

    /// The name as people say it: `r#type` is called `type`.
    pub(crate) fn base(&self) -> String {
        self.name().unraw().to_string()
    }

    pub(crate) fn generics(&self) -> &Generics {
        &self.item.sig.generics
    }

    pub(crate) fn is_unsafe(&self) -> bool {
        matches!(self.item.sig.safety, Safety::Unsafe(_))
    }

    /// The dimensions that every launch must have, if the kernel fixes them: by `dim(..)` or by an index parameter.
    pub(crate) fn dims(&self) -> Option<u8> {
        let declared = self.arguments.dim.as_ref().map(|dim| dim.value);
        self.index_dims().or(declared)
    }

    /// The dimensions of the index parameter, if there is one.
    pub(crate) fn index_dims(&self) -> Option<u8> {
        self.params.iter().find_map(|param| match param.kind {
            ParamKind::Index(dims) => Some(dims),
            _ => None,
        })
    }

    /// The parameters that the launch hands over, in order.
    pub(crate) fn launched(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| !param.kind.is_witness())
    }

    /// The parameters of the device code, in order: those of the launch, and what it hands over unseen.
    pub(crate) fn passed(&self) -> impl Iterator<Item = &Param> {
        self.params
            .iter()
            .filter(|param| !param.kind.is_witness() || param.kind == ParamKind::CooperativeGrid)
    }

    /// The number of shared tiles.
    pub(crate) fn tiles(&self) -> usize {
        let is_tile = |param: &&Param| matches!(param.kind, ParamKind::SharedTile(_));
        self.params.iter().filter(is_tile).count()
    }

    /// The parameter of this name.
    pub(crate) fn param(&self, name: &Ident) -> Option<&Param> {
        self.params.iter().find(|param| param.name == *name)
    }
}

impl Param {
    /// Of an output: how its elements are dealt out, if its type says so.
    pub(crate) fn space(&self) -> Option<&Type> {
        let Type::Path(path) = peel(&self.ty) else {
            return None;
        };
        let PathArguments::AngleBracketed(list) = &path.path.segments.last()?.arguments else {
            return None;
        };
        let types = list.args.iter().filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        });
        types.take(2).nth(1)
    }
}

impl ParamKind {
    /// Whether the device makes this parameter up by itself, or of what the launch hands over unseen.
    pub(crate) fn is_witness(&self) -> bool {
        matches!(
            self,
            ParamKind::Index(_)
                | ParamKind::Group
                | ParamKind::Cluster
                | ParamKind::CooperativeGrid
                | ParamKind::SharedTile(_)
                | ParamKind::DynamicShared
        )
    }

    /// What the launch knows of how large the parameter is: names of methods.
    pub(crate) fn extents(&self) -> &'static [&'static str] {
        match self {
            ParamKind::Slice(_) | ParamKind::Output(_) => &["len"],
            ParamKind::Output2D(_) => &["width", "height"],
            _ => &[],
        }
    }

    /// Whether the type borrows for the time of the launch.
    pub(crate) fn is_borrowed(&self) -> bool {
        self.is_witness()
            || matches!(
                self,
                ParamKind::Slice(_)
                    | ParamKind::Output(_)
                    | ParamKind::Output2D(_)
                    | ParamKind::Append(_)
                    | ParamKind::TensorSource(..)
                    | ParamKind::TensorTarget(..)
                    | ParamKind::Texture
                    | ParamKind::Surface
            )
    }
}

/// The parameter's name and type, if its pattern is just a name.
pub(crate) fn named(input: &FnArg) -> Option<(&PatIdent, &PatType)> {
    let FnArg::Typed(typed) = input else {
        return None;
    };
    match &*typed.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some((pat, typed)),
        _ => None,
    }
}

fn classify(ty: &Type, generics: &Generics) -> ParamKind {
    match ty {
        Type::Group(group) => classify(&group.elem, generics),
        Type::Paren(paren) => classify(&paren.elem, generics),
        Type::Reference(reference) => classify_reference(reference, generics),
        Type::Ptr(_) => ParamKind::Pointer,
        Type::ImplTrait(_) => ParamKind::Refused(Refused::ImplTrait),
        Type::FnPtr(_) => ParamKind::Refused(Refused::FnPointer),
        Type::Path(path) => match path.path.segments.last() {
            Some(last) if path.qself.is_none() => {
                if path
                    .path
                    .get_ident()
                    .is_some_and(|name| is_closure(name, generics))
                {
                    ParamKind::Closure
                } else {
                    classify_segment(last)
                }
            }
            _ => ParamKind::Value,
        },
        _ => ParamKind::Value,
    }
}

fn classify_reference(reference: &TypeReference, generics: &Generics) -> ParamKind {
    let inner = peel(&reference.elem);
    let refused = match (reference.mutability, inner) {
        (_, inner) if classify(inner, generics).is_witness() => Refused::WitnessReference,
        (_, inner) if classify(inner, generics) == ParamKind::Refused(Refused::HostHandle) => {
            Refused::HostHandle
        }
        (Some(_), Type::Slice(_)) => Refused::MutSlice,
        (Some(_), _) => Refused::MutReference,
        (None, Type::Slice(slice)) if matches!(peel(&slice.elem), Type::Reference(_)) => {
            Refused::ReferenceElement
        }
        (None, Type::Slice(slice)) => return ParamKind::Slice((*slice.elem).clone()),
        (None, Type::Path(path)) if path.path.is_ident("str") || path.path.is_ident("String") => {
            Refused::Text
        }
        (None, _) => Refused::Reference,
    };
    ParamKind::Refused(refused)
}

fn classify_segment(segment: &PathSegment) -> ParamKind {
    let element = || first_type(segment);
    match segment.ident.to_string().as_str() {
        "Index1D" => ParamKind::Index(1),
        "Index2D" => ParamKind::Index(2),
        "Index3D" => ParamKind::Index(3),
        "Block" | "Warp" | "Grid" => ParamKind::Group,
        "Cluster" => ParamKind::Cluster,
        "CooperativeGrid" => ParamKind::CooperativeGrid,
        "SharedTile" | "DoubleTile" | "SharedPatches" => ParamKind::SharedTile(0),
        "DynamicShared" => ParamKind::DynamicShared,
        "GridConst" => element().map_or(
            ParamKind::Refused(Refused::ElementMissing),
            ParamKind::GridConst,
        ),
        "TensorSource" => tensor(segment).map_or(
            ParamKind::Refused(Refused::RankMissing),
            |(element, rank)| ParamKind::TensorSource(element, rank),
        ),
        "TensorTarget" => tensor(segment).map_or(
            ParamKind::Refused(Refused::RankMissing),
            |(element, rank)| ParamKind::TensorTarget(element, rank),
        ),
        "Texture1d" | "Texture2d" | "Texture3d" | "Texture1dLayered" | "Texture2dLayered"
        | "TextureCube" | "TextureCubeLayered" | "TextureLinear" => ParamKind::Texture,
        "Surface1d" | "Surface2d" | "Surface3d" | "Surface1dLayered" | "Surface2dLayered"
        | "SurfaceCube" | "SurfaceCubeLayered" => ParamKind::Surface,
        "DisjointSlice" => element().map_or(
            ParamKind::Refused(Refused::ElementMissing),
            ParamKind::Output,
        ),
        "DisjointSlice2D" => element().map_or(
            ParamKind::Refused(Refused::ElementMissing),
            ParamKind::Output2D,
        ),
        "AppendSlice" => element().map_or(
            ParamKind::Refused(Refused::ElementMissing),
            ParamKind::Append,
        ),
        "AppendBuffer" | "DeviceBuffer" | "ManagedBuffer" | "PinnedBuffer" | "DeviceSlice"
        | "DeviceSliceMut" => ParamKind::Refused(Refused::HostHandle),
        "BlockLeader" => ParamKind::Refused(Refused::Leader),
        "SharedArray" => ParamKind::Refused(Refused::SharedArray),
        "String" => ParamKind::Refused(Refused::Text),
        "Vec" | "Box" | "Rc" | "Arc" | "Cow" | "HashMap" | "BTreeMap" | "VecDeque" => {
            ParamKind::Refused(Refused::HostOwned)
        }
        _ => ParamKind::Value,
    }
}

/// The first type among the generic arguments of a path segment.
fn first_type(segment: &PathSegment) -> Option<Type> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else {
        return None;
    };
    list.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}

/// The element and the rank of a tensor: a rank that is the name of a constant, without braces, is read as a type.
fn tensor(segment: &PathSegment) -> Option<(Type, Expr)> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else {
        return None;
    };
    let mut values = list
        .args
        .iter()
        .filter(|argument| !matches!(argument, GenericArgument::Lifetime(_)));
    let GenericArgument::Type(element) = values.next()? else {
        return None;
    };
    let rank = match values.next()? {
        GenericArgument::Const(rank) => rank.clone(),
        GenericArgument::Type(Type::Path(name)) => Expr::Path(ExprPath {
            attrs: Vec::new(),
            qself: None,
            path: name.path.clone(),
        }),
        _ => return None,
    };
    Some((element.clone(), rank))
}

/// Whether `name` is a type parameter that is bounded by one of the `Fn` traits, inline or in the where clause.
fn is_closure(name: &Ident, generics: &Generics) -> bool {
    let inline = generics
        .type_params()
        .filter(|param| param.ident == *name)
        .flat_map(|param| &param.bounds);
    let predicates = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates)
        .filter_map(|predicate| match predicate {
            WherePredicate::Type(bound) => Some(bound),
            _ => None,
        })
        .filter(
            |bound| matches!(peel(&bound.bounded_ty), Type::Path(path) if path.path.is_ident(name)),
        )
        .flat_map(|bound| &bound.bounds);
    generics.type_params().any(|param| param.ident == *name)
        && inline.chain(predicates).any(is_fn_bound)
}

fn is_fn_bound(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    bound.path.segments.last().is_some_and(|segment| {
        segment.ident == "Fn" || segment.ident == "FnMut" || segment.ident == "FnOnce"
    })
}

/// The type inside invisible groups and parentheses.
pub(crate) fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        other => other,
    }
}
