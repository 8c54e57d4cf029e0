import { Link, useRouter } from "@tanstack/react-router";
import { Icon, isIcon } from "../parts/icons.tsx";
import { type Dashboard, useDashboard } from "../session/dashboard.ts";

type PageEntry = Dashboard["pages"][number];

/** Those pages that the server has and that this build knows. */
export function usePages(): readonly PageEntry[] {
  const { pages } = useDashboard();
  const { routesByPath } = useRouter();
  return pages.filter(({ name }) => `/${name}` in routesByPath);
}

export function Nav() {
  const pages = usePages();
  const { version } = useDashboard();
  const groups = [
    { title: "Engine", of: pages.filter((page) => page.capability === null) },
    { title: "Capabilities", of: pages.filter((page) => page.capability !== null) },
  ].filter((group) => group.of.length > 0);
  return (
    <nav id="nav" className="nav" aria-label="Pages">
      {groups.map(({ title, of }) => (
        <div key={title} className="nav-group">
          <p className="nav-title">{title}</p>
          <ul>
            {of.map(({ name, title }) => (
              <li key={name}>
                <Link
                  to={`/${name}` as "/overview"}
                  className="nav-link"
                  activeOptions={{ includeSearch: false }}
                >
                  <Icon name={isIcon(name) ? name : "page"} />
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p className="nav-foot">
        <a href="/docs">API</a>
        <span>Handfast {version}</span>
      </p>
    </nav>
  );
}
