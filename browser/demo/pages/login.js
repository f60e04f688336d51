"use strict";

document.querySelector(".login-error").hidden = !new URLSearchParams(location.search).has("error");
