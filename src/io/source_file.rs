//! A file that is read once and then asked what it holds.

#[cfg(feature = "fbx")]
use super::fbx::FbxFile;
use super::gltf_read::GltfFile;
use super::{
    Fault, Folder, GltfCharacter, LoadError, NamedMotions, PartChoice, Problem, RiggedFile, bvh, obj, off,
    ply, read_file, recognise, rig_file, stl,
};
use crate::Warning;
use crate::mesh::{Format, Mesh};
use crate::motion::Motion;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file that is read once and then asked what it holds.
///
/// ```no_run
/// # use puppetry::stages::io::{LoadError, PartChoice, SourceFile};
/// # fn load(path: &std::path::Path) -> Result<(), LoadError> {
/// let file = SourceFile::open(path)?; // or SourceFile::of_bytes(name, bytes, Folder::none())?
/// match file.is_rigged() {
///     true => drop(file.rigged(None)?),
///     false => drop(file.into_mesh(&PartChoice::default())?),
/// }
/// # Ok(())
/// # }
/// ```
/// A rigged file can also be read as a mesh and for its motions. If [`SourceFile::rigged`] fails for another reason than [`Problem::SeveralCharacters`], the file may still
/// be rigged anew as a mesh, and the reader of meshes has the better sentence.
pub struct SourceFile {
    name: PathBuf,
    folder: Folder,
    content: Content,
}

/// The content of a file, parsed as far as one parse serves every question.
enum Content {
    RigFile(Vec<u8>),
    Gltf(GltfFile),
    #[cfg(feature = "fbx")]
    Fbx(FbxFile),
    /// A format that holds meshes alone.
    Surface(Format, Vec<u8>),
    /// BVH or unknown.
    NoMesh(Vec<u8>),
}

/// The files that a file needs besides itself and that are there: buffers, material libraries, images.
pub fn referenced_files(path: &Path) -> BTreeSet<PathBuf> {
    let folder = Folder::of(path).remembering();
    let source =
        read_file(path).ok().and_then(|bytes| SourceFile::of_bytes(path, bytes, folder.clone()).ok());
    // What is wrong with it is told where it is read in earnest.
    let _ = source.map(|source| source.into_mesh(&PartChoice::default()));
    folder.found()
}

impl SourceFile {
    /// Reads a file. Files that it refers to are looked up in its folder.
    ///
    /// # Errors
    /// A [`LoadError`] if it cannot be read, or cannot be parsed whatever is wanted of it.
    pub fn open(path: &Path) -> Result<SourceFile, LoadError> {
        let bytes = read_file(path).map_err(|problem| LoadError::new(path, Fault::whole(problem)))?;
        SourceFile::of_bytes(path, bytes, Folder::of(path))
    }

    /// A file whose bytes come from elsewhere: an archive, an object store, another program. `name` names it in sentences, and its
    /// extension counts where the content does not say what it is.
    ///
    /// # Errors
    /// As [`SourceFile::open`].
    pub fn of_bytes(name: &Path, bytes: Vec<u8>, folder: Folder) -> Result<SourceFile, LoadError> {
        let content = Content::of(name, bytes, &folder).map_err(|fault| LoadError::new(name, fault))?;
        Ok(SourceFile { name: name.to_owned(), folder, content })
    }

    /// Whether it has joints that [`SourceFile::rigged`] can read.
    pub fn is_rigged(&self) -> bool {
        match &self.content {
            Content::RigFile(_) => true,
            Content::Gltf(file) => file.has_skin(),
            #[cfg(feature = "fbx")]
            Content::Fbx(file) => file.has_skin(),
            Content::Surface(..) | Content::NoMesh(_) => false,
        }
    }

    /// The mesh of the chosen parts, and warnings.
    ///
    /// # Errors
    /// A [`LoadError`] with the location in the file and the reason; also if a part is not there, or none is left.
    pub fn into_mesh(self, parts: &PartChoice) -> Result<(Mesh, Vec<Warning>), LoadError> {
        let mut warnings = Vec::new();
        let mesh = self.content.into_mesh(&self.name, &self.folder, &mut warnings);
        let chosen = mesh.and_then(|mesh| parts.of(mesh).map_err(Fault::whole));
        chosen.map(|mesh| (mesh, warnings)).map_err(|fault| LoadError::new(&self.name, fault))
    }

    /// The character with its joints, and warnings. Of several the one with the skin of that name or number.
    ///
    /// # Errors
    /// A [`LoadError`] with the location in the file and the reason; [`Problem::NoSkin`] if it is a mesh without joints.
    pub fn rigged(&self, skin: Option<&str>) -> Result<(RiggedFile, Vec<Warning>), LoadError> {
        self.read(|warnings| match &self.content {
            Content::RigFile(bytes) => rig_file_alone(bytes),
            Content::Gltf(file) => file.rigged(skin, warnings),
            #[cfg(feature = "fbx")]
            Content::Fbx(file) => file.rigged(&self.folder, warnings),
            Content::Surface(..) => Err(Fault::whole(Problem::NoSkin)),
            Content::NoMesh(bytes) => Err(no_mesh(bytes, &self.name)),
        })
    }

    /// The motion, of several the largest, and warnings about repairs.
    pub fn motion(&self) -> Result<(Motion, Vec<Warning>), LoadError> {
        self.read(|warnings| match &self.content {
            Content::Gltf(file) => file.motion(warnings),
            #[cfg(feature = "fbx")]
            Content::Fbx(file) => file.motion(warnings),
            Content::RigFile(_) => Err(Fault::whole(Problem::NoAnimation)),
            Content::Surface(_, bytes) | Content::NoMesh(bytes) => bvh::read(bytes, warnings),
        })
    }

    /// All motions with their names, and warnings about repairs. A single one has the name of the file, because that of its
    /// animation is often `Take 001` or `mixamo.com`.
    pub fn motions(&self) -> Result<(NamedMotions, Vec<Warning>), LoadError> {
        let (mut motions, warnings) = self.read(|warnings| match &self.content {
            Content::Gltf(file) => file.motions(warnings),
            #[cfg(feature = "fbx")]
            Content::Fbx(file) => file.motions(warnings),
            Content::RigFile(_) => Err(Fault::whole(Problem::NoAnimation)),
            Content::Surface(_, bytes) | Content::NoMesh(bytes) => {
                Ok(vec![(String::new(), bvh::read(bytes, warnings)?)])
            }
        })?;
        if let [(name, _)] = &mut motions[..] {
            *name = self.name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        Ok((motions, warnings))
    }

    /// The result of a reader with its warnings; errors name this file.
    fn read<T>(
        &self,
        reader: impl FnOnce(&mut Vec<Warning>) -> Result<T, Fault>,
    ) -> Result<(T, Vec<Warning>), LoadError> {
        let mut warnings = Vec::new();
        let read = reader(&mut warnings).map_err(|fault| LoadError::new(&self.name, fault))?;
        Ok((read, warnings))
    }
}

impl Content {
    fn of(name: &Path, bytes: Vec<u8>, folder: &Folder) -> Result<Content, Fault> {
        if bytes.is_empty() {
            return Err(Fault::whole(Problem::Empty));
        }
        if rig_file::is_rig_file(&bytes) {
            return Ok(Content::RigFile(bytes));
        }
        match recognise(&bytes, name) {
            Ok(Format::Gltf | Format::Glb) => Ok(Content::Gltf(GltfFile::parse(bytes, folder)?)),
            #[cfg(feature = "fbx")]
            Ok(Format::Fbx) => Ok(Content::Fbx(FbxFile::new(bytes))),
            #[cfg(not(feature = "fbx"))]
            Ok(Format::Fbx) => Err(Fault::whole(Problem::FbxDisabled)),
            Ok(format) => Ok(Content::Surface(format, bytes)),
            Err(problem @ Problem::Unsupported { .. }) => Err(Fault::whole(problem)),
            Err(_) => Ok(Content::NoMesh(bytes)),
        }
    }

    fn into_mesh(self, name: &Path, folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
        match self {
            Content::Gltf(file) => file.into_mesh(warnings),
            #[cfg(feature = "fbx")]
            Content::Fbx(file) => file.mesh(folder, warnings),
            Content::RigFile(bytes) => {
                rig_file::read(&bytes)?;
                Err(Fault::whole(Problem::NotAMesh("a rig file")))
            }
            Content::Surface(Format::Obj, bytes) => obj::read(&bytes, folder, warnings),
            Content::Surface(Format::Ply, bytes) => ply::read(&bytes, folder, warnings),
            Content::Surface(Format::Stl, bytes) => stl::read(&bytes, warnings),
            Content::Surface(_, bytes) => off::read(&bytes, warnings),
            Content::NoMesh(bytes) => Err(no_mesh(&bytes, name)),
        }
    }
}

/// Why a file is no mesh.
fn no_mesh(bytes: &[u8], name: &Path) -> Fault {
    Fault::whole(recognise(bytes, name).err().unwrap_or(Problem::UnknownFormat))
}

/// The joints of a rig file, which has no surface.
fn rig_file_alone(bytes: &[u8]) -> Result<RiggedFile, Fault> {
    let rig = rig_file::read(bytes)?.rig();
    let character = GltfCharacter::of_rig(&rig);
    Ok(RiggedFile { rig, surface: Vec::new(), character })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "fbx")]
    use crate::io::fbx::COLUMN;

    fn file(name: &str, bytes: &[u8]) -> SourceFile {
        SourceFile::of_bytes(Path::new(name), bytes.to_vec(), Folder::none()).unwrap()
    }

    #[cfg(feature = "fbx")]
    fn column() -> RiggedFile {
        file("column.fbx", COLUMN.as_bytes()).rigged(None).unwrap().0
    }

    #[cfg(feature = "fbx")]
    #[test]
    fn every_content_is_recognised() {
        let walk = crate::motion::built_in()[0].bvh.as_bytes();
        let glb = column().character.glb().unwrap();
        for (name, bytes, is_rigged) in [
            ("a", &b"v 0 0 0\nf 1 1 1"[..], false),
            ("a.obj", walk, false),
            ("a.fbx", COLUMN.as_bytes(), true),
            ("a.vrm", &glb, true),
            ("a.gltf", b"{\"asset\":{\"version\":\"2.0\"},\"animations\":[{}]}", false),
            ("a.json", b"{\"puppetry_rig\": 1}", true),
            ("a.glb", include_bytes!("../../examples/characters/dog.glb"), false),
        ] {
            assert_eq!(file(name, bytes).is_rigged(), is_rigged, "{name}");
        }
        let (motions, _) = file("dir/stroll.txt", walk).motions().unwrap();
        assert_eq!(motions[0].0, "stroll", "the only motion has the name of the file");
    }

    #[test]
    fn each_question_has_its_own_sentence() {
        let sentence = |bytes: &[u8], ask: fn(SourceFile) -> Option<LoadError>| {
            ask(file("a.x", bytes)).unwrap().fault.problem.to_string()
        };
        let mesh = |file: SourceFile| file.into_mesh(&PartChoice::default()).err();
        let cube = b"OFF 1 1 0\n0 0 0\n3 0 0 0";
        assert!(sentence(cube, |file| file.rigged(None).err()).starts_with("no mesh of it has a skin"));
        assert!(sentence(b"HIERARCHY", mesh).starts_with("this is a BVH motion, not a mesh"));
        assert!(sentence(b"BLENDER-v300", mesh).starts_with("this is not a format puppetry knows"));
        let rig = b"{\"puppetry_rig\": 1}";
        assert!(sentence(rig, |file| file.motion().err()).starts_with("it contains no animation"));
        let empty = SourceFile::of_bytes(Path::new("a.obj"), Vec::new(), Folder::none());
        assert!(matches!(empty.err().unwrap().fault.problem, Problem::Empty));
    }

    #[cfg(not(feature = "fbx"))]
    #[test]
    fn fbx_is_recognised_and_refused() {
        let bytes = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
        let error = SourceFile::of_bytes(Path::new("a.fbx"), bytes, Folder::none()).err().unwrap();
        assert!(
            error
                .to_string()
                .starts_with("cannot read 'a.fbx': this build reads no FBX; save the file as GLB")
        );
    }

    /// The surface of a character is that of its file, whether it is written in between or not.
    #[cfg(feature = "fbx")]
    #[test]
    fn a_bound_mesh_is_that_of_the_written_file() {
        let bound = column().character.bound_mesh().unwrap();
        let (written, _) = file("a.glb", &column().character.glb().unwrap()).rigged(None).unwrap();
        let again = written.character.bound_mesh().unwrap();
        assert_eq!((bound.rig, &bound.mesh.positions), (again.rig, &again.mesh.positions));
        assert_eq!(bound.mesh.triangles, again.mesh.triangles);
        for vertex in 0..bound.mesh.positions.len() {
            let weights: Vec<_> = bound.weights.of(vertex).collect();
            assert_eq!(weights, again.weights.of(vertex).collect::<Vec<_>>());
            assert_eq!(weights, [(usize::from(bound.mesh.positions[vertex].y > 0.1), 1.0)]);
        }
    }
}
