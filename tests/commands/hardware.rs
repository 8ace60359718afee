//! `kidx hardware`

use super::{AS_OF, OBSERVED_ON, check_commands, check_question, loaded};
use crate::sandbox::{Sandbox, level1};

#[test]
fn measured() {
    check_question("hardware", &loaded(), &["hardware"], &["--limit=1"]);
}

#[test]
fn rows_and_names() {
    let commands: &[&[&str]] = &[
        &["hardware", "--all", "--hardware=h200", "--as-of", AS_OF],
        &["hardware", "--all", "--sort=-bandwidth_gbs", "--limit=3"],
        &["hardware", "--hardware=b200"],
        &[
            "hardware",
            "--level=3",
            "--columns=hardware,runs,records,fp8",
        ],
        &["hardware", "--implementation=torch-compile-inductor"],
        &["hardware", "--as-of=2025-12-30"],
        &["hardware", "--format=csv", "--hardware=h100-pcie"],
        &["hardware", "--format=markdown"],
        &["hardware", "show", "h100"],
        &["hardware", "show", "h10"],
        &["hardware", "show", "kernelbench/level1/1"],
    ];
    check_commands("hardware_rows", &loaded(), commands);
}

#[test]
fn its_page_is_the_one_that_show_prints() {
    let sandbox = loaded();
    for format in [&[][..], &["--json"]] {
        let of = |id: &[&str]| sandbox.expect(0, &[id, format, &["--as-of", AS_OF]].concat());
        let page = of(&["show", "hw:h100-pcie"]);
        for id in ["h100-pcie", "hw:h100-pcie-80gb", "NVIDIA H100 PCIe"] {
            assert_eq!(of(&["hardware", "show", id]).out, page.out, "{id}");
        }
    }
}

#[test]
fn what_may_not_rank_was_measured_all_the_same() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "t/Rig_lab/times.json",
        level1(&[("1_A.py", "1.5")]).replace("NVIDIA L40S", "Own GPU v2"),
    );
    sandbox.import(0, &file, &["--observed-on", OBSERVED_ON]);
    let run = sandbox.items(0, &["sql", "SELECT run FROM v_run"])[0]["run"].clone();
    sandbox.expect(0, &["retract", run.as_str().unwrap(), "--reason=wrong"]);
    let item = sandbox.item(0, &["hardware"]);
    assert_eq!(item["hardware"]["product"], "Own GPU v2");
    assert_eq!(
        (&item["listed"], &item["peaks"]["fp32"]),
        (&false.into(), &serde_json::Value::Null)
    );
    assert_eq!(
        [&item["runs"], &item["cohorts"], &item["records"]],
        [0, 1, 0]
    );
}

/// Figures that the user gives: floors say so, `verify` stays sound, and a header alone
/// takes them away.
#[test]
fn given_peaks() {
    let sandbox = loaded();
    sandbox.write(
        "peaks.csv",
        "id,memory_bandwidth_gbs,tf32_tensor\nh100-pcie-80gb,2500,\nMy Card 9000,1000,100\n",
    );
    sandbox.write("none.csv", "id\n");
    sandbox.write("family.csv", "id,fp32\nh100,1\n");
    sandbox.write("wrong.csv", "id,fp32\nt4,fast\n");
    sandbox.write("other.csv", "id,speed\nt4,1\n");
    sandbox.write("twice.csv", "id,fp32\nt4,1\nt4,2\n");
    let floors: &[&str] = &[
        "floors",
        "--hardware",
        "h100-pcie",
        "--operation",
        "kernelbench/level1/19",
    ];
    check_commands(
        "hardware_peaks",
        &sandbox,
        &[
            &["hardware", "peaks", "peaks.csv"],
            floors,
            &["hardware", "show", "my card 9000"],
            &["verify"],
            &["hardware", "peaks", "wrong.csv"],
            &["hardware", "peaks", "other.csv"],
            &["hardware", "peaks", "twice.csv"],
            &["hardware", "peaks", "none.csv", "--json", "--as-of", AS_OF],
            floors,
            &["verify"],
            &["hardware", "peaks", "family.csv"],
        ],
    );
}
