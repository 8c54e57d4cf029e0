"""Photos: looked at by content, made anew without anything but the picture, kept in a store.

store           where files are kept: the interface
folder          a folder as the store
remake_picture  the helper's program: one picture in, one JPEG out; imports nothing of ours
pictures        the helper process: its limits of memory and time
photos          the rows, and who may see which
thumbnails      the job that makes a small one
orphans         files that no row knows go after an hour
"""
