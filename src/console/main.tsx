/** The entry point of the console. */
import { render } from 'preact';
import { App } from './app.js';
import { showChosenTheme } from './parts/theme.js';
import { SessionStore } from './server/session.js';
import './style/base.css';
import './style/parts.css';
import './style/views.css';
import './style/explore.css';
import './style/charts.css';
import './style/boards.css';

const root = document.getElementById('console');
showChosenTheme();
if (root !== null) render(<App store={new SessionStore(sessionStorage, localStorage)} />, root);
