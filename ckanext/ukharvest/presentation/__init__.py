"""Text and markup for people: values (rendering/); pages, mails, commands (messages/)."""
