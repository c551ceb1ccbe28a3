//! What is deferred is kept until it is linked.

use super::{Folder, LinkLine, MARK, Request, container, folder_of, keep, name, run};
use std::path::{Path, PathBuf};

/// An empty target folder with the output of one deferred link.
fn target(test: &str) -> (PathBuf, PathBuf, Folder) {
    let root =
        std::env::temp_dir().join(format!("warploom-deferred-{test}-{}", std::process::id()));
    drop(std::fs::remove_dir_all(&root)); // of an earlier process
    let output = root.join("deps/saxpy-0123");
    let name = name(Path::new("deps/saxpy-0123"));
    std::fs::create_dir_all(root.join(&name).join("inputs")).unwrap();
    std::fs::create_dir_all(root.join("deps")).unwrap();
    std::fs::write(&output, format!("{MARK}{name}")).unwrap();
    let folder = folder_of(&std::fs::read(&output).unwrap(), &root).unwrap();
    (root, output, folder)
}

fn ask(folder: &Folder, current_folder: &Path) {
    let request = Request {
        arguments: vec![],
        variables: vec![],
        current_folder: current_folder.as_os_str().to_owned(),
        target: "saxpy (bin)".into(),
        bytes: 1,
    };
    std::fs::write(folder.request(), serde_json::to_vec(&request).unwrap()).unwrap();
}

#[test]
fn other_outputs_have_no_folder() {
    assert!(container(b"\x7fELF", Path::new("/t")).is_none());
    assert!(container(b"warploom problems\n[]", Path::new("/t")).is_none());
}

#[test]
fn outputs_of_one_name_have_folders_of_their_own() {
    assert_ne!(name(Path::new("deps/a")), name(Path::new("examples/a")));
    assert!(name(Path::new("deps/a-0")).starts_with("links/a-0-"));
}

#[test]
fn a_container_that_was_removed_is_an_error_with_its_remedy() {
    let (root, output, _) = target("removed");
    let problem = container(&std::fs::read(output).unwrap(), &root)
        .unwrap()
        .unwrap_err();
    let remedy = format!("remove {}, and build again", root.display());
    assert!(problem.contains(&remedy), "{problem}");
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn what_is_linked_is_not_linked_again() {
    let (root, output, folder) = target("linked");
    std::fs::write(folder.container(), "code").unwrap();
    assert_eq!(run(&[&output], &root), [""; 0]);
    let read = container(&std::fs::read(&output).unwrap(), &root);
    assert_eq!(read, Some(Ok(b"code".to_vec())));
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_link_whose_process_cannot_start_is_tried_again_by_the_next_build() {
    let (root, output, folder) = target("unstarted");
    ask(&folder, &root.join("no folder"));
    for _ in 0..2 {
        let problems = run(&[&output], &root);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("cannot run "), "{problems:?}");
    }
    assert!(folder.request().exists() && !folder.container().exists());
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_link_is_kept_although_another_process_ends_its_own_link_of_it_meanwhile() {
    let (root, output, folder) = target("meanwhile");
    let object = root.join("saxpy.o");
    std::fs::write(&object, "object").unwrap();
    let lock = folder.lock().unwrap();
    std::thread::scope(|scope| {
        let kept = scope.spawn(|| {
            let line = LinkLine {
                objects: vec![object],
                archives: vec![],
                output: output.clone(),
            };
            keep(&line, &root)
        });
        // Long enough for the thread to wait for the lock; if it comes later, it finds no inputs either.
        std::thread::sleep(std::time::Duration::from_millis(200));
        std::fs::remove_dir_all(folder.inputs()).unwrap();
        drop(lock);
        kept.join().unwrap().unwrap();
    });
    assert!(folder.pending().is_some());
    assert_eq!(
        std::fs::read(folder.inputs().join("0.o")).unwrap(),
        b"object"
    );
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn what_was_asked_for_again_is_linked_before_it_is_read() {
    let (root, output, folder) = target("again");
    ask(&folder, &root.join("no folder"));
    let content = std::fs::read(&output).unwrap();
    // That process cannot start; its problem shows that the link was tried.
    let problem = container(&content, &root).unwrap().unwrap_err();
    assert!(problem.starts_with("cannot run "), "{problem}");
    std::fs::remove_dir_all(root).unwrap();
}
