// A page that is opened as a file may start no worker. There the search runs in a hidden frame instead.
if (location.protocol === "file:") {
    window.IFrameWorker = window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            this.frame = document.createElement("iframe");
            this.frame.hidden = true;
            document.documentElement.append(this.frame);
            this.ready = new Promise(resolve => { this.frame.onload = resolve; });
            const inside = this.frame.contentWindow;
            inside.document.open();
            inside.document.write(`<script src="${url}"></script>`);
            inside.document.close();
            inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
        }

        postMessage(data) {
            this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", {data})));
        }

        terminate() { this.frame.remove(); }
    };
}
