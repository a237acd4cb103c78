// The header of every page: who is signed in.
import { byId } from "./dom.js";
import { callerMenu } from "./session.js";

const place = byId("caller");
if (place) callerMenu(place);
