//! A browser without a window, driven over the DevTools protocol.
//!
//! Goal: tests press keys and look at a real page. Method: Chromium as the system has it, one process for
//! each test; what a page writes on its console or throws is kept. Source: the Chrome DevTools Protocol
//! (https://chromedevtools.github.io/devtools-protocol/).

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::long_form::number;

/// What is waited for at most: a deadline for a hang, not a measure.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time between two looks at the page.
const LOOK_EVERY: Duration = Duration::from_millis(30);
/// Programs that a browser may be.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The browser of this system; none where there is none.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    places.find(|place| place.is_file())
}

/// A browser.
pub struct Browser {
    child: Child,
    _profile: tempfile::TempDir,
    address: String,
}

/// Hands the messages of a socket on later, in their order.
const LAG: &str = "
    const told = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
    Object.defineProperty(WebSocket.prototype, 'onmessage', {
        set(take) { told.set.call(this, event => setTimeout(() => take(event), LAG_MS)); },
    });
";

impl Browser {
    /// Starts it.
    pub fn start(program: &std::path::Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
            .args([
                "--no-first-run",
                "--disable-extensions",
                "--disable-background-networking",
                "--mute-audio",
            ])
            .args(["--disable-dev-shm-usage", "--window-size=1280,800", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // What it leaves when it is stopped goes with the profile.
            .env("TMPDIR", profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut heard = Vec::new();
        let address = loop {
            let line = told.next().unwrap_or_else(|| panic!("no address: {heard:?}")).unwrap();
            if let Some(address) = line.strip_prefix("DevTools listening on ") {
                break address.to_owned();
            }
            heard.push(line);
        };
        std::thread::spawn(move || told.for_each(drop));
        Self { child, _profile: profile, address }
    }

    /// A page at an address. `WALKON_LAG=400` makes every page hear what the program tells it so many
    /// milliseconds later.
    pub fn open(&self, address: &str) -> Page {
        self.open_lagging(address, number("WALKON_LAG", 0))
    }

    /// A page that hears what the program tells it some milliseconds later, as over a slow connection.
    pub fn open_lagging(&self, address: &str, lag_ms: u32) -> Page {
        let host = self.address["ws://".len()..].split('/').next().unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(self.address.as_str(), stream).unwrap();
        let mut page = Page { socket, next: 1, session: String::new(), complaints: Vec::new() };
        let target = page.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = page.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        page.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        if lag_ms > 0 {
            let script = LAG.replace("LAG_MS", &lag_ms.to_string());
            page.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
        }
        page.call("Page.navigate", json!({ "url": address }));
        page
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page.
pub struct Page {
    socket: WebSocket<TcpStream>,
    next: u64,
    session: String,
    /// Errors that it threw or wrote on its console.
    pub complaints: Vec<String>,
}

impl Page {
    fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let answer: Value = serde_json::from_str(text.as_str()).unwrap();
            self.complaints.extend(complaint(&answer));
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// What an expression comes to on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression holds; what it came to.
    pub fn until(&mut self, expression: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let value = self.value(expression);
            let holds = !matches!(&value, Value::Null | Value::Bool(false))
                && value != json!(0)
                && value != json!("");
            if holds {
                return value;
            }
            if Instant::now() > deadline {
                let text = self.value("document.body.innerText");
                panic!("{expression} never held; complaints: {:?}; the page: {text}", self.complaints);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Presses what carries a mark for tests.
    pub fn press(&mut self, mark: &str) {
        self.until(&format!("!!document.querySelector('[data-test=\"{mark}\"]:not([disabled])')"));
        self.value(&format!("document.querySelector('[data-test=\"{mark}\"]').click(), true"));
    }

    /// Types into what carries a mark, and presses Enter.
    pub fn enter(&mut self, mark: &str, text: &str) {
        self.until(&format!("!!document.querySelector('[data-test=\"{mark}\"]')"));
        self.value(&format!("document.querySelector('[data-test=\"{mark}\"]').focus(), true"));
        self.call("Input.insertText", json!({ "text": text }));
        for kind in ["rawKeyDown", "char", "keyUp"] {
            let key = json!({ "type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r" });
            self.call("Input.dispatchKeyEvent", key);
        }
    }

    /// Closes it.
    pub fn close(mut self) {
        let message = json!({ "id": self.next, "method": "Page.close", "sessionId": self.session });
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// Brings the page in front of those that were opened since.
    pub fn bring_to_front(&mut self) {
        self.call("Page.bringToFront", json!({}));
    }

    /// Clicks on a place of the window, pixels; with keys held as DevTools counts them: 1 Alt, 2 Ctrl, 8
    /// Shift.
    pub fn click(&mut self, [x, y]: [f64; 2], modifiers: u32) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let mouse = json!({
                "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, "modifiers": modifiers,
                "buttons": u32::from(kind == "mousePressed"),
            });
            self.call("Input.dispatchMouseEvent", mouse);
        }
    }

    /// Presses a button of the mouse at one place of the window and lets it go at another.
    pub fn drag(&mut self, [from, to]: [[f64; 2]; 2], button: &str) {
        let middle = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
        let buttons = if button == "right" { 2 } else { 1 };
        for (kind, [x, y], held) in [
            ("mouseMoved", from, 0),
            ("mousePressed", from, buttons),
            ("mouseMoved", middle, buttons),
            ("mouseMoved", to, buttons),
            ("mouseReleased", to, 0),
        ] {
            let button = if kind == "mouseMoved" && held == 0 { "none" } else { button };
            let mouse = json!({
                "type": kind, "x": x, "y": y, "button": button, "buttons": held, "clickCount": u32::from(from == to),
            });
            self.call("Input.dispatchMouseEvent", mouse);
        }
    }

    /// Presses the left button at one place of the window and moves to another, without letting go.
    pub fn hold(&mut self, [from, to]: [[f64; 2]; 2]) {
        let middle = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
        for (kind, [x, y], held) in [
            ("mouseMoved", from, 0),
            ("mousePressed", from, 1),
            ("mouseMoved", middle, 1),
            ("mouseMoved", to, 1),
        ] {
            let button = if held == 0 { "none" } else { "left" };
            let mouse =
                json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": held, "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", mouse);
        }
    }

    /// Lets the left button go at a place of the window.
    pub fn release(&mut self, [x, y]: [f64; 2]) {
        let mouse = json!({ "type": "mouseReleased", "x": x, "y": y, "button": "left", "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", mouse);
    }

    /// Gives the focus to what a selector finds, once it is there.
    pub fn focus(&mut self, selector: &str) {
        self.until(&format!("!!document.querySelector('{selector}')"));
        self.value(&format!("document.querySelector('{selector}').focus(), true"));
    }

    /// Makes the window so many pixels wide and high.
    pub fn size(&mut self, [width, height]: [u32; 2]) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.until(&format!("innerWidth === {width} && innerHeight === {height}"));
    }

    /// The middle of what carries a mark, once it is there.
    pub fn middle_of(&mut self, mark: &str) -> [f64; 2] {
        let place = self.until(&format!(
            "(it => {{ it?.scrollIntoView({{ block: 'center' }}); const box = it?.getBoundingClientRect(); \
             return box?.width > 0 && [box.x + box.width / 2, box.y + box.height / 2]; }})\
             (document.querySelector('[data-test=\"{mark}\"]'))"
        ));
        [place[0].as_f64().unwrap(), place[1].as_f64().unwrap()]
    }

    /// Gives a field another value, as choosing or typing it does.
    pub fn set(&mut self, selector: &str, value: &str) {
        self.until(&format!("!!document.querySelector('{selector}')"));
        self.value(&format!(
            "(it => {{ it.value = {}; it.dispatchEvent(new Event('input', {{ bubbles: true }})); \
             it.dispatchEvent(new Event('change', {{ bubbles: true }})); return true; }})(document.querySelector('{selector}'))",
            Value::from(value)
        ));
    }

    /// Moves the pointer to a place of the window.
    pub fn point_at(&mut self, [x, y]: [f64; 2]) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Presses a key that is no letter, such as `Delete`, by its name and number.
    pub fn key(&mut self, name: &str, number: u32) {
        self.key_with(name, number, 0);
    }

    /// The same with keys held as for a click.
    pub fn key_with(&mut self, name: &str, number: u32, modifiers: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let key = json!({
                "type": kind, "key": name, "code": name, "windowsVirtualKeyCode": number, "modifiers": modifiers,
            });
            self.call("Input.dispatchKeyEvent", key);
        }
    }

    /// Clicks on what carries a mark with the mouse, once it is there and can be pressed.
    pub fn click_on(&mut self, mark: &str) {
        let place = self.until(&format!(
            "(it => {{ const box = it?.getBoundingClientRect(); return box?.width > 0 && [box.x + box.width / 2, box.y + box.height / 2]; }})\
             (document.querySelector('[data-test=\"{mark}\"]:not([disabled])'))"
        ));
        self.click([place[0].as_f64().unwrap(), place[1].as_f64().unwrap()], 0);
    }

    /// The window as a PNG, in base64.
    pub fn picture(&mut self) -> String {
        self.call("Page.captureScreenshot", json!({ "format": "png" }))["data"].as_str().unwrap().to_owned()
    }
}

/// What a page complains of in a message of the browser.
fn complaint(message: &Value) -> Option<String> {
    let params = &message["params"];
    match message["method"].as_str()? {
        "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
        "Runtime.consoleAPICalled" if params["type"] == "error" || params["type"] == "assert" => {
            Some(params["args"].to_string())
        }
        "Log.entryAdded" if params["entry"]["level"] == "error" => Some(params["entry"].to_string()),
        _ => None,
    }
}
