// A form marked data-passkey asks the device for a passkey before it is sent: data-options is
// what the server asks of the device, or data-options-from where to fetch it. The form's field
// "credential" takes the answer.
(() => {
  "use strict";

  const toBytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, "-")
      .replace(/\//g, "_")
      .replace(/=+$/, "");

  const known = (list) => (list || []).map((one) => ({ ...one, id: toBytes(one.id) }));

  const asked = (options, ceremony, form) => {
    const wanted = { ...options, challenge: toBytes(options.challenge) };
    if (ceremony === "get") {
      wanted.allowCredentials = known(options.allowCredentials);
      return wanted;
    }
    const alone = form.elements.passwordless?.checked ?? true;
    wanted.user = { ...options.user, id: toBytes(options.user.id) };
    wanted.excludeCredentials = known(options.excludeCredentials);
    wanted.authenticatorSelection = {
      ...options.authenticatorSelection,
      residentKey: alone ? "required" : "discouraged",
      requireResidentKey: alone,
      userVerification: alone ? "required" : options.authenticatorSelection.userVerification,
    };
    return wanted;
  };

  const answered = (credential) => {
    const response = {};
    for (const name of [
      "clientDataJSON",
      "attestationObject",
      "authenticatorData",
      "signature",
      "userHandle",
    ]) {
      if (credential.response[name]) response[name] = toText(credential.response[name]);
    }
    return {
      id: credential.id,
      rawId: toText(credential.rawId),
      type: credential.type,
      authenticatorAttachment: credential.authenticatorAttachment,
      clientExtensionResults: credential.getClientExtensionResults(),
      response,
    };
  };

  const trouble = (error) => {
    if (error.name === "NotAllowedError" || error.name === "AbortError") return "cancelled";
    if (error.name === "InvalidStateError") return "known";
    if (error.name === "SecurityError" || error.name === "NotSupportedError") return "unsupported";
    return "failed";
  };

  const ask = async (form) => {
    const ceremony = form.dataset.passkey;
    let options = form.dataset.options && JSON.parse(form.dataset.options);
    if (!options) {
      const response = await fetch(form.dataset.optionsFrom, {
        headers: { Accept: "application/json", "X-Requested-With": "XMLHttpRequest" },
      });
      if (!response.ok) throw new Error("no options");
      options = (await response.json()).request_options;
    }
    const publicKey = asked(options.publicKey, ceremony, form);
    const credential = await navigator.credentials[ceremony]({ publicKey });
    form.elements.credential.value = JSON.stringify(answered(credential));
    form.submit();
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const say = form.querySelector(".passkey-say");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      say.hidden = true;
      if (!window.PublicKeyCredential) {
        say.textContent = say.dataset.unsupported;
        say.hidden = false;
        return;
      }
      ask(form).catch((error) => {
        say.textContent = say.dataset[trouble(error)];
        say.hidden = false;
      });
    });
  }
})();
