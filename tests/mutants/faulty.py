"""Verilog with many faults, of which a variable chooses one while the model runs.

An expression that a fault changes becomes `(ear_mutant == N) ? (changed) : (as it was)`. So all models
are built once for all faults, and not once for each. ear_mutant is the number in the environment
variable EAR_MUTANT when a model begins, and no fault's without it.
"""
import re

HEAD = """`ifndef EAR_MUTANT
`define EAR_MUTANT
int ear_mutant = $c32("std::getenv(\\"EAR_MUTANT\\") ? std::atoi(std::getenv(\\"EAR_MUTANT\\")) : -1");
`endif
"""


def without_comments(text):
    """The text with blanks for comments: each other character is where it was."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S)


def brackets(text):
    """The place of the bracket that closes each one that opens, and the other way round."""
    other, opened = {}, []
    for place, character in enumerate(text):
        if character in "([{":
            opened.append(place)
        elif character in ")]}":
            other[place] = opened.pop()
            other[other[place]] = place
    return other


def outside_brackets(text):
    """The text without what is between brackets."""
    while re.search(r"[(\[{]", text):
        text = re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", text)
    return text


def expression(text, begin, end):
    """The smallest expression around text[begin:end]: what is between two parentheses, or the right
    side of an assignment. Not an element of braces or an index, which may have to be constant."""
    other, at = brackets(text), begin
    while at > 0:
        at -= 1
        if text[at] in ")]}":
            at = other[at]
        elif text[at] == "(" and not re.search(r"(@|#|\bfor|\brepeat)\s*$", text[:at]):
            if end <= other[at] and "," not in outside_brackets(text[at + 1:other[at]]):
                return at + 1, other[at]
        elif text[at] == ";" or re.search(r"\b(begin|end|else|endcase|generate)$", text[:at + 1]):
            break
    at, last = at + 1, text.index(";", end - 1)
    while at < last:
        if text[at] in "([{":
            at = other[at]
        elif text[at:at + 2] == "<=" or (text[at] == "=" and "=" not in text[at - 1] + text[at + 1]):
            break
        at += 1
    at += 2 if text[at] == "<" else 1
    if at > begin:
        raise ValueError(f"no expression around: {text[begin:end]}")
    return at, last


def changes(original, replacement):
    """How many characters both texts have in common at the beginning, and at the end."""
    first = next(i for i in range(len(original) + 1) if original[:i + 1] != replacement[:i + 1])
    last = 0
    while last < min(len(original), len(replacement)) - first and original[-1 - last] == replacement[-1 - last]:
        last += 1
    return first, last


def with_faults(text, faults):
    """The text with all faults: (number, original, replacement), each original once in the text."""
    bare, spots = without_comments(text), []
    for number, original, replacement in faults:
        first, last = changes(original, replacement)
        begin, end = text.index(original) + first, text.index(original) + len(original) - last
        spot = expression(bare, begin, max(end, begin + 1))
        changed = text[spot[0]:begin] + replacement[first:len(replacement) - last] + text[end:spot[1]]
        spots.append((*spot, f"(ear_mutant == {number}) ? ({changed}) : "))
    spots.sort(key=lambda spot: (spot[0], -spot[1]))
    return HEAD + chosen(text, 0, len(text), spots)


def chosen(text, first, last, spots):
    """text[first:last] with the choices of these spots; one may be inside another."""
    result, at = "", first
    while spots:
        begin, end = spots[0][:2]
        here = [spot for spot in spots if spot[:2] == (begin, end)]
        inside = [spot for spot in spots if spot[0] < end and spot not in here]
        result += f"{text[at:begin]}{''.join(spot[2] for spot in here)}({chosen(text, begin, end, inside)})"
        at, spots = end, spots[len(here) + len(inside):]
    return result + text[at:last]
