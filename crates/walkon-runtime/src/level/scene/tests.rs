//! Scenes: small files by hand, and the message of each mistake.

use super::*;

fn faces(text: &str) -> Result<Faces, SceneError> {
    obj_faces(text.as_bytes())
}

#[test]
fn obj_reads_polygons_numbers_from_behind_and_skips_the_rest() {
    let text = "# a square and a triangle\r\nmtllib x.mtl\no thing\nv 0 0 0\nv 1 0 0 1.0\nv 1 0 1\nv 0 0 1\nvn 0 1 0\n\
        f 1/1/1 2//1 3 4\nusemtl \u{e9}\nf -4 -3 -1\n";
    let read = faces(text).unwrap();
    assert_eq!(read.faces, [vec![0, 1, 2, 3], vec![0, 1, 3]]);
    assert_eq!(read.lines, [9, 11]);
    let triangles = read.triangles().unwrap();
    assert_eq!(triangles.len(), 3);
    assert_eq!(triangles[1], [Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::Z]);
}

#[test]
fn obj_may_begin_with_a_mark_and_go_on_in_the_next_line() {
    let plain = faces("v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n").unwrap();
    let odd = faces("\u{feff}v 0 0 0\r\nv 1 \\\r\n 0 0\r\nv 1 0 1\r\nf 1 2\\\r\n 3\r\n").unwrap();
    assert_eq!((odd.vertices, odd.faces), (plain.vertices, plain.faces));
    assert_eq!(odd.lines, [5], "the line in which the face begins");
    assert_eq!(faces("v 0 0 0 \\").unwrap().vertices.len(), 1, "the file ends it, too");
}

#[test]
fn obj_mistakes_name_their_line() {
    for (text, message) in [
        ("v 0 0\n", "line 1: a vertex has three numbers"),
        ("v 0 0 nan\n", "line 1: \"nan\" is not a finite number"),
        ("v 0 0 0\nf 1 1\n", "line 2: a face has at least three corners"),
        ("v 0 0 0\nf 1 1 2\n", "line 2: the face names vertex 2, the file has 1"),
        ("v 0 0 0\nf 1 1 -2\n", "line 2: there is no vertex -2"),
        ("v 0 0 0\nf 1 1 0\n", "line 2: there is no vertex 0"),
        ("v 0 0 0\nf 1 x 1\n", "line 2: \"x\" is not the number of a vertex"),
    ] {
        assert_eq!(faces(text).unwrap_err().to_string(), message);
    }
}

/// A triangle of floats as a data address, and the document around it.
fn document(extra: &str, accessor: &str) -> String {
    let floats: Vec<u8> = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut data = String::new();
    for three in floats.chunks(3) {
        let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        for shift in [18, 12, 6, 0] {
            data.push(LETTERS[(bits >> shift & 63) as usize] as char);
        }
    }
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, {extra}
        "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
        "accessors": [{accessor}],
        "bufferViews": [{{ "buffer": 0, "byteLength": 36 }}],
        "buffers": [{{ "byteLength": 36, "uri": "data:application/octet-stream;base64,{data}" }}] }}"#
    )
}

const PLAIN: &str = r#"{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }"#;

fn read(text: &str) -> Result<Vec<[Vec3; 3]>, SceneError> {
    gltf_triangles(text.as_bytes(), &mut |_| Err("no file".to_owned()))
}

#[test]
fn gltf_places_its_meshes_by_the_tree_of_nodes() {
    let nodes = r#""scenes": [{ "nodes": [0] }], "nodes": [
        { "translation": [10, 0, 0], "children": [1] }, { "scale": [2, 2, 2], "mesh": 0 }],"#;
    let triangles = read(&document(nodes, PLAIN)).unwrap();
    assert_eq!(triangles, [[[10.0, 0.0, 0.0], [12.0, 0.0, 0.0], [10.0, 0.0, 2.0]].map(Vec3::from)]);
    let bare = r#""nodes": [{ "mesh": 0 }],"#;
    assert_eq!(read(&document(bare, PLAIN)).unwrap()[0][1], Vec3::X, "without a scene, every root");
}

#[test]
fn gltf_in_one_file_is_read_as_well() {
    let json = document(r#""nodes": [{ "mesh": 0 }],"#, PLAIN);
    let mut glb = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    glb.extend((json.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(json.as_bytes());
    assert_eq!(gltf_triangles(&glb, &mut |_| Err(String::new())).unwrap().len(), 1);
    for cut in 0..glb.len() {
        // Whatever is left, it is an answer.
        let _ = gltf_triangles(&glb[..cut], &mut |_| Err(String::new()));
    }
}

#[test]
fn gltf_mistakes_say_what_is_wrong() {
    let one = r#""nodes": [{ "mesh": 0 }],"#;
    for (extra, accessor, message) in [
        (
            one,
            r#"{ "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" }"#,
            "accessor 0 reaches beyond its buffer",
        ),
        (
            one,
            r#"{ "bufferView": 0, "componentType": 5126, "count": 18446744073709551615, "type": "VEC3" }"#,
            "accessor 0 reaches beyond its buffer",
        ),
        (
            one,
            r#"{ "bufferView": 7, "componentType": 5126, "count": 3, "type": "VEC3" }"#,
            "there is no buffer view 7",
        ),
        (one, r#"{ "componentType": 5126, "count": 3, "type": "VEC3" }"#, "accessor 0 names no buffer view"),
        (
            one,
            r#"{ "bufferView": 0, "componentType": 5123, "count": 3, "type": "VEC3" }"#,
            "accessor 0 holds no positions: expected VEC3 of floats",
        ),
        (
            r#""scenes": [{ "nodes": [0] }], "nodes": [{ "children": [0] }],"#,
            PLAIN,
            "node 0 comes twice, expected a tree",
        ),
        (r#""scenes": [{ "nodes": [3] }],"#, PLAIN, "there is no node 3"),
        (r#""scene": 1, "scenes": [{ "nodes": [] }],"#, PLAIN, "there is no scene 1"),
        (
            r#""extensionsRequired": ["KHR_draco_mesh_compression"],"#,
            PLAIN,
            "the scene needs the extension \"KHR_draco_mesh_compression\", which is not read",
        ),
    ] {
        assert_eq!(read(&document(extra, accessor)).unwrap_err().to_string(), message);
    }
    assert!(read("{").unwrap_err().to_string().starts_with("line 1: not glTF"));
}

#[test]
fn gltf_that_names_its_corners_again_and_again_is_refused_in_time() {
    let primitive = "{ \"attributes\": { \"POSITION\": 0 }, \"indices\": 1 }";
    let text = format!(
        "{{ \"nodes\": [{{ \"mesh\": 0 }}], \"meshes\": [{{ \"primitives\": [{}] }}],
        \"accessors\": [
            {{ \"bufferView\": 0, \"componentType\": 5126, \"count\": 400000, \"type\": \"VEC3\" }},
            {{ \"bufferView\": 0, \"componentType\": 5121, \"count\": 0, \"type\": \"SCALAR\" }}],
        \"bufferViews\": [{{ \"buffer\": 0, \"byteLength\": 4800000 }}],
        \"buffers\": [{{ \"uri\": \"it.bin\", \"byteLength\": 4800000 }}] }}",
        vec![primitive; 100_000].join(",")
    );
    let found = gltf_triangles(text.as_bytes(), &mut |_| Ok(vec![0; 4_800_000]));
    assert_eq!(found.expect_err("too much").message, "more than 4000000 corners");
}

#[test]
fn gltf_whose_nodes_all_stand_for_a_mesh_of_many_empty_primitives_is_refused_in_time() {
    let text = format!(
        "{{ \"nodes\": [{}], \"meshes\": [{{ \"primitives\": [{}] }}] }}",
        vec!["{\"mesh\":0}"; 100_000].join(","),
        vec!["{}"; 100_000].join(",")
    );
    assert_eq!(read(&text).expect_err("too much").message, "more than 4000000 primitives");
}

#[test]
fn gltf_buffers_of_one_file_are_read_once() {
    let one = "{ \"uri\": \"it.bin\", \"byteLength\": 8 }";
    let text = format!("{{ \"buffers\": [{}] }}", vec![one; 100].join(","));
    let mut count = 0;
    let mut read = |name: &str| {
        count += 1;
        Ok(vec![0; if name == "it.bin" { 8 } else { 0 }])
    };
    assert!(gltf_triangles(text.as_bytes(), &mut read).unwrap().is_empty());
    assert_eq!(count, 1);
}

#[test]
fn gltf_names_files_as_addresses_do() {
    for (uri, file) in [
        ("my%20scene.bin", "my scene.bin"),
        ("caf%C3%A9.bin", "caf\u{e9}.bin"),
        ("100%.bin", "100%.bin"),
        ("%f\u{e9}.bin", "%f\u{e9}.bin"),
        ("%ff.bin", "%ff.bin"),
        ("%", "%"),
    ] {
        let text = format!("{{ \"buffers\": [{{ \"uri\": \"{uri}\", \"byteLength\": 1 }}] }}");
        let mut asked = Vec::new();
        let found = gltf_triangles(text.as_bytes(), &mut |name| {
            asked.push(name.to_owned());
            Ok(vec![0])
        });
        assert!(found.unwrap().is_empty());
        assert_eq!(asked, [file]);
    }
}

#[test]
fn gltf_buffers_count_with_all_the_bytes_of_their_files() {
    let file = |number: usize| format!("{{ \"uri\": \"{number}.bin\" }}");
    let text = format!("{{ \"buffers\": [{}] }}", (0..100).map(file).collect::<Vec<_>>().join(","));
    let mut count = 0;
    let found = gltf_triangles(text.as_bytes(), &mut |_| {
        count += 1;
        Ok(vec![0; 16 << 20])
    });
    let message = "buffer 16: more than 268435456 bytes in all buffers";
    assert_eq!(found.expect_err("too much").message, message);
    assert_eq!(count, 17);
}
