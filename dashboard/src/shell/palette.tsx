/** Ctrl K: every page, what can be done from anywhere, and jobs by key. Loaded when first opened. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  Text,
  useFilter,
} from "react-aria-components";
import { reading } from "../api/client.ts";
import { State } from "../parts/badge.tsx";
import { Icon, isIcon } from "../parts/icons.tsx";
import { signOut } from "./account.tsx";
import { usePages } from "./nav.tsx";
import { setTheme, useTheme } from "./theme.ts";

const FOUND_MAX = 6;

export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const pages = usePages();
  const theme = useTheme();
  const navigate = useNavigate();
  const { contains } = useFilter({ sensitivity: "base" });
  const [typed, setTyped] = useState("");
  const key = typed.trim();
  const jobs = useQuery({
    ...reading("/admin/jobs", { params: { query: { key, limit: FOUND_MAX } } }),
    enabled: key.length > 1,
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
  const found = key.length > 1 ? (jobs.data?.jobs ?? []) : [];
  const other = theme === "dark" ? "light" : "dark";
  const commands = [
    { id: "theme", title: `Change to the ${other} theme`, run: () => setTheme(other) },
    { id: "docs", title: "Documentation of the API", run: () => window.location.assign("/docs") },
    { id: "out", title: "Sign out", run: () => void signOut(false) },
    { id: "out-all", title: "Sign out everywhere", run: () => void signOut(true) },
  ];
  const run = (action: () => unknown) => {
    onClose();
    action();
  };
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(open) => !open && onClose()}
      className="palette-overlay"
    >
      <Modal className="palette">
        <Dialog aria-label="Command palette" className="palette-dialog">
          <Autocomplete
            inputValue={typed}
            onInputChange={setTyped}
            filter={(text, wanted, node) =>
              String(node.key).startsWith("job:") || contains(text, wanted)
            }
          >
            <SearchField aria-label="Go to a page, or find a job by its key" autoFocus>
              <Icon name="search" />
              <Input placeholder="Go to a page, or find a job by its key" maxLength={500} />
            </SearchField>
            <Menu
              aria-label="What there is"
              className="palette-list"
              renderEmptyState={() => <p className="palette-none">Nothing is called like that.</p>}
            >
              {found.length > 0 && (
                <MenuSection>
                  <Header>Jobs</Header>
                  {found.map((job) => (
                    <MenuItem
                      key={job.id}
                      id={`job:${job.id}`}
                      textValue={`${job.kind} ${job.key}`}
                      onAction={() =>
                        run(() =>
                          navigate({ to: "/jobs/$jobId", params: { jobId: String(job.id) } }),
                        )
                      }
                    >
                      <Icon name="jobs" />
                      <Text slot="label">
                        <bdi>{job.key}</bdi> <span className="faint">{job.kind}</span>
                      </Text>
                      <State name={job.state} />
                    </MenuItem>
                  ))}
                </MenuSection>
              )}
              <MenuSection>
                <Header>Pages</Header>
                {pages.map(({ name, title }) => (
                  <MenuItem
                    key={name}
                    id={`page:${name}`}
                    textValue={title}
                    onAction={() => run(() => navigate({ to: `/${name}` as "/overview" }))}
                  >
                    <Icon name={isIcon(name) ? name : "page"} />
                    <Text slot="label">{title}</Text>
                  </MenuItem>
                ))}
              </MenuSection>
              <MenuSection>
                <Header>Do</Header>
                {commands.map((command) => (
                  <MenuItem
                    key={command.id}
                    id={command.id}
                    textValue={command.title}
                    onAction={() => run(command.run)}
                  >
                    <Icon name="right" />
                    <Text slot="label">{command.title}</Text>
                  </MenuItem>
                ))}
              </MenuSection>
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
