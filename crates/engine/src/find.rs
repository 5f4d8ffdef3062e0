//! Searches for ONNX Runtime.
//!
//! The search starts no process, not even Python. A path set by the user is used or reported as an error, never
//! replaced by another one.

use std::fs;
use std::path::{Path, PathBuf};

/// The inputs of the search: the state of the process, or one that a test makes up.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// A file or folder set by the user (`MILLPOND_ONNXRUNTIME`). If set, nothing else is tried.
    pub named: Option<PathBuf>,
    /// The folder of our own library.
    pub beside: Option<PathBuf>,
    /// Where Millpond is installed (`MILLPOND_HOME`).
    pub home: Option<PathBuf>,
    /// The active Python environment (`VIRTUAL_ENV`).
    pub environment: Option<PathBuf>,
    /// The user's folder (`HOME`), for packages installed with `pip install --user`.
    pub user: Option<PathBuf>,
    /// Whether the system's folders are searched.
    pub system: bool,
}

/// The names to try with the system's loader.
pub(crate) const SONAMES: [&str; 2] = ["libonnxruntime.so.1", "libonnxruntime.so"];

impl Search {
    /// The search of this process; `named` takes precedence over everything.
    pub fn of_process(named: Option<PathBuf>) -> Self {
        let folder = |name| std::env::var_os(name).map(PathBuf::from);
        Self {
            named,
            beside: crate::library::own_folder(),
            home: folder("MILLPOND_HOME"),
            environment: folder("VIRTUAL_ENV"),
            user: folder("HOME"),
            system: true,
        }
    }

    /// The folders to search, in order.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        if let Some(named) = &self.named {
            return below(named);
        }
        let mut folders = Vec::new();
        if let Some(beside) = &self.beside {
            folders.push(beside.clone());
        }
        if let Some(home) = &self.home {
            folders.push(home.join("lib"));
            folders.extend(packages(&home.join(".venv")));
        }
        if let Some(environment) = &self.environment {
            folders.extend(packages(environment));
        }
        if let Some(user) = &self.user {
            folders.extend(packages(&user.join(".local")));
        }
        if self.system {
            for prefix in ["/usr/local", "/usr"] {
                folders.extend(packages(Path::new(prefix)));
            }
        }
        folders
    }

    /// The files to try, in order.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        match &self.named {
            Some(file) if file.is_file() => vec![file.clone()],
            _ => {
                let folders = self.folders();
                folders
                    .iter()
                    .filter_map(|folder| library_in(folder))
                    .collect()
            }
        }
    }

    /// The error message: where the library was searched, and what to do.
    pub(crate) fn advice(&self) -> String {
        let install = "install it with: pip install onnxruntime";
        if let Some(named) = &self.named {
            return format!(
                "no libonnxruntime.so is at {}, the path in MILLPOND_ONNXRUNTIME; {install}, then set the variable \
                 to the environment's folder or the file, or unset it",
                named.display()
            );
        }
        let places = [
            ("", &self.beside),
            ("MILLPOND_HOME ", &self.home),
            ("the active Python environment ", &self.environment),
            ("the Python packages of ", &self.user),
        ];
        let mut looked: Vec<String> = places
            .iter()
            .filter_map(|(what, place)| Some(format!("{what}{}", place.as_ref()?.display())))
            .collect();
        if self.environment.is_none() {
            looked.push("no active Python environment (VIRTUAL_ENV is not set)".to_owned());
        }
        if self.system {
            looked.push("the system's Python packages and libraries".to_owned());
        }
        format!(
            "{install} (into the active environment, or set MILLPOND_ONNXRUNTIME to the environment's folder); \
             searched for libonnxruntime.so in: {}",
            looked.join(", ")
        )
    }
}

/// The candidates below a folder set by the user: it may hold the file, or be an environment or a package folder.
fn below(named: &Path) -> Vec<PathBuf> {
    let mut folders = vec![
        named.to_owned(),
        named.join("lib"),
        named.join("capi"),
        named.join("onnxruntime/capi"),
    ];
    folders.extend(packages(named));
    folders
}

/// The folders of the `onnxruntime` package for each Python below `prefix`.
fn packages(prefix: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for lib in ["lib", "lib64"] {
        let Ok(entries) = fs::read_dir(prefix.join(lib)) else {
            continue;
        };
        for entry in entries.flatten() {
            if !entry.file_name().to_string_lossy().starts_with("python3") {
                continue;
            }
            for packages in ["site-packages", "dist-packages"] {
                let folder = entry.path().join(packages).join("onnxruntime/capi");
                if folder.is_dir() {
                    folders.push(folder);
                }
            }
        }
    }
    folders.sort();
    folders
}

/// The library in a folder: `libonnxruntime.so`, or the newest `libonnxruntime.so.VERSION`.
fn library_in(folder: &Path) -> Option<PathBuf> {
    let plain = folder.join("libonnxruntime.so");
    if plain.is_file() {
        return Some(plain);
    }
    let entries = fs::read_dir(folder).ok()?;
    let found = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let version = name.strip_prefix("libonnxruntime.so.")?;
        let numbers: Option<Vec<u32>> = version.split('.').map(|part| part.parse().ok()).collect();
        Some((numbers?, entry.path()))
    });
    found.max().map(|(_, path)| path)
}

/// Libraries of CUDA that the provider needs, each before the libraries that depend on it.
const CUDA: [&str; 6] = [
    "libcudart.so.",
    "libcublasLt.so.",
    "libcublas.so.",
    "libcurand.so.",
    "libcufft.so.",
    "libcudnn.so.",
];

/// NVIDIA's Python packages with the libraries of CUDA, beside the package that has `library`: the files, in the order in which
/// they can be loaded.
pub(crate) fn cuda_beside(library: &Path) -> Vec<PathBuf> {
    // site-packages/onnxruntime/capi/libonnxruntime.so and site-packages/nvidia/cublas/lib/libcublas.so.13
    let Some(packages) = library.ancestors().nth(3) else {
        return Vec::new();
    };
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries(&packages.join("nvidia"))
        .flat_map(|package| entries(&package.path().join("lib")).collect::<Vec<_>>())
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let named = |name: &str| {
        let file = |file: &&PathBuf| {
            let base = file.file_name().unwrap_or_default();
            base.to_string_lossy().starts_with(name)
        };
        files.iter().filter(file).cloned().collect::<Vec<_>>()
    };
    CUDA.iter().flat_map(|name| named(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("millpond-{name}-{}", std::process::id()));
            drop(fs::remove_dir_all(&path));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, path: &str) -> PathBuf {
            let file = self.0.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, b"").unwrap();
            file
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn what_is_named_is_taken_or_refused() {
        let folder = Folder::new("named");
        let file = folder
            .file("venv/lib/python3.11/site-packages/onnxruntime/capi/libonnxruntime.so.1.9.0");
        let newer = folder
            .file("venv/lib/python3.11/site-packages/onnxruntime/capi/libonnxruntime.so.1.31.1");
        let active = Search {
            environment: Some(folder.0.join("venv")),
            ..Search::default()
        };
        assert_eq!(
            active.files(),
            std::slice::from_ref(&newer),
            "the newest by number, not by name"
        );
        let named = |path: PathBuf| Search {
            named: Some(path),
            ..active.clone()
        };
        assert_eq!(named(folder.0.join("venv")).files(), [newer]);
        assert_eq!(named(file.clone()).files(), [file]);
        let nowhere = named(folder.0.join("nowhere"));
        assert!(
            nowhere.files().is_empty(),
            "the active environment is no substitute"
        );
        assert!(nowhere.advice().contains("pip install onnxruntime"));
    }

    #[test]
    fn libraries_of_cuda_are_found_in_nvidias_packages() {
        let folder = Folder::new("cuda");
        let engine = folder.file("site-packages/onnxruntime/capi/libonnxruntime.so.1.31.1");
        assert!(cuda_beside(&engine).is_empty());
        let lib = |path: &str| folder.file(&format!("site-packages/nvidia/{path}"));
        let cublas = lib("cu13/lib/libcublas.so.13");
        let lt = lib("cu13/lib/libcublasLt.so.13");
        let cudnn = lib("cudnn/lib/libcudnn.so.9");
        lib("cudnn/lib/libcudnn_graph.so.9");
        lib("cudnn/include/cudnn.h");
        assert_eq!(cuda_beside(&engine), [lt, cublas, cudnn]);
        assert!(cuda_beside(Path::new("libonnxruntime.so.1")).is_empty());
    }

    #[test]
    fn our_own_folder_goes_before_environments() {
        let folder = Folder::new("order");
        let beside = folder.file("lib64/libonnxruntime.so");
        let home = folder.file(
            "home/.venv/lib/python3.12/site-packages/onnxruntime/capi/libonnxruntime.so.1.20.1",
        );
        let search = Search {
            beside: Some(folder.0.join("lib64")),
            home: Some(folder.0.join("home")),
            ..Search::default()
        };
        assert_eq!(search.files(), [beside, home]);
        let advice = search.advice();
        for part in [
            "lib64",
            "MILLPOND_HOME",
            "VIRTUAL_ENV is not set",
            "pip install onnxruntime",
        ] {
            assert!(advice.contains(part), "{advice}");
        }
    }
}
