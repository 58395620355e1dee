// The theoretical bandwidth of the memory by what the firmware says of the DIMMs (SMBIOS, "DMI").

#include "bench.h"

#include "common/machine.h"
#include "common/memory.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <ifaddrs.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

// Offsets and values are those of the System Management BIOS Reference Specification (DMTF
// DSP0134, version 3.7), 7.18 "Memory Device (Type 17)" and 7.5 "Processor Information (Type
// 4)".

#define TABLE         "/sys/firmware/dmi/tables/DMI"
#define MOST_BYTES    (4 << 20) // no table is larger
#define MOST_CHANNELS 256
#define KEY_BYTES     64

enum { PROCESSOR = 4, MEMORY_DEVICE = 17, END = 127 };

// One structure: its formatted part, and the strings behind it up to `end`.
struct entry {
    const unsigned char *data, *end;
    unsigned type, length;
};

// One channel, and the slowest of its DIMMs.
struct channel {
    char key[KEY_BYTES]; // "P0 CHANNEL A"
    unsigned rate;       // MT/s
    unsigned width;      // bits of data, without those of ECC
};

struct dimms {
    struct channel channel[MOST_CHANNELS];
    unsigned channels, dimms, sockets;
    const char *unknown; // why nothing is known; NULL: all is
};

static unsigned word_at(const struct entry *entry, unsigned offset)
{
    if (offset + 2 > entry->length)
        return 0;
    return entry->data[offset] | (unsigned)entry->data[offset + 1] << 8;
}

static uint32_t double_word_at(const struct entry *entry, unsigned offset)
{
    return word_at(entry, offset) | (uint32_t)word_at(entry, offset + 2) << 16;
}

// The structure at `at`; what follows it is at its end. False: none, or it is cut off.
static bool read_entry(const unsigned char *at, const unsigned char *end, struct entry *entry)
{
    if (end - at < 4 || at[1] < 4 || end - at < at[1])
        return false;
    *entry = (struct entry){.data = at, .type = at[0], .length = at[1]};
    for (at += entry->length; end - at >= 2; at++)
        if (at[0] == '\0' && at[1] == '\0') {
            entry->end = at + 2;
            return true;
        }
    return false;
}

// The string whose number is at that offset; "": none. It ends within the entry.
static const char *string_at(const struct entry *entry, unsigned offset)
{
    const unsigned char *at = entry->data + entry->length;
    unsigned number = offset < entry->length ? entry->data[offset] : 0;
    if (number == 0)
        return "";
    while (--number > 0 && at < entry->end)
        at += strnlen((const char *)at, (size_t)(entry->end - at)) + 1;
    return at < entry->end ? (const char *)at : "";
}

// The part of a locator up to the channel: "P0 CHANNEL A" of itself, "Node0_Channel2" of
// "Node0_Channel2_Dimm1". False: it names none.
static bool channel_of(const char *locator, char key[KEY_BYTES])
{
    const char *word = strcasestr(locator, "channel");
    if (!word)
        return false;
    const char *name = word + strlen("channel");
    name += strspn(name, " _-:");
    size_t length = isdigit((unsigned char)*name) ? strspn(name, "0123456789")
                                                  : (size_t)(isalpha((unsigned char)*name) != 0);
    length += (size_t)(name - locator);
    if (name == locator + length || length >= KEY_BYTES)
        return false;
    memcpy(key, locator, length);
    key[length] = '\0';
    return true;
}

static void add_dimm(struct dimms *dimms, const char *key, unsigned rate, unsigned width)
{
    struct channel *channel = dimms->channel;
    const struct channel *end = channel + dimms->channels;
    while (channel < end && strcmp(channel->key, key) != 0)
        channel++;
    if (channel < end) {
        channel->rate = rate < channel->rate ? rate : channel->rate;
        if (width != channel->width)
            dimms->unknown = "DIMMs of one channel have different widths";
        return;
    }
    if (dimms->channels == MOST_CHANNELS) {
        dimms->unknown = "more channels than any machine has";
        return;
    }
    *channel = (struct channel){.rate = rate, .width = width};
    strcpy(channel->key, key); // of the same size
    dimms->channels++;
}

// What runs now, not what the DIMM could do: that is 0 or absent where it is not known.
static unsigned configured_rate(const struct entry *entry)
{
    const unsigned rate = word_at(entry, 0x20);
    return rate != 0xFFFF ? rate : double_word_at(entry, 0x58) & 0x7FFFFFFF;
}

static void take_dimm(struct dimms *dimms, const struct entry *entry)
{
    char key[KEY_BYTES] = "";
    const unsigned size = word_at(entry, 0x0C), rate = configured_rate(entry);
    const unsigned width = word_at(entry, 0x0A);
    if (size == 0) // nothing in the socket
        return;
    dimms->dimms++;
    if (rate < 100 || rate > 100000)
        dimms->unknown = "DMI has no speed that the DIMMs run at";
    else if (width < 8 || width > 1024 || width % 8 != 0)
        dimms->unknown = "DMI has no width of the DIMMs";
    else if (!channel_of(string_at(entry, 0x11), key) && !channel_of(string_at(entry, 0x10), key))
        snprintf(key, sizeof key, "?");
    add_dimm(dimms, key, rate, width);
}

static void read_table(const unsigned char *table, size_t size, struct dimms *dimms)
{
    struct entry entry;
    const unsigned char *end = table + size;
    for (; read_entry(table, end, &entry) && entry.type != END; table = entry.end) {
        if (entry.type == MEMORY_DEVICE)
            take_dimm(dimms, &entry);
        else if (entry.type == PROCESSOR && entry.length > 0x18 && (entry.data[0x18] & 0x40) != 0)
            dimms->sockets++; // there is a processor in it
    }
}

// Two sockets whose channels have the same names would be taken for one.
static bool names_sockets(const struct dimms *dimms)
{
    for (unsigned i = 0; i < dimms->channels; i++) {
        const char *key = dimms->channel[i].key, *word = strcasestr(key, "channel");
        const size_t before = !word ? 0 : (size_t)(word - key);
        if (strcspn(key, "0123456789") >= before)
            return false;
    }
    return true;
}

static const char *why_not(const struct dimms *dimms)
{
    if (dimms->dimms == 0)
        return "DMI shows no DIMM";
    if (dimms->unknown)
        return dimms->unknown;
    for (unsigned i = 0; i < dimms->channels && dimms->dimms > 1; i++)
        if (strcmp(dimms->channel[i].key, "?") == 0)
            return "DMI does not say which DIMMs share a channel";
    if (dimms->sockets > 1 && !names_sockets(dimms))
        return "DMI does not say which socket a channel belongs to";
    return NULL;
}

static double describe(const struct dimms *dimms, char *text, size_t size)
{
    const struct channel *first = &dimms->channel[0];
    double peak = 0;
    bool alike = true;
    for (unsigned i = 0; i < dimms->channels; i++) {
        const struct channel *channel = &dimms->channel[i];
        peak += 1e6 * channel->rate * channel->width / 8;
        alike = alike && channel->rate == first->rate && channel->width == first->width;
    }
    if (alike)
        snprintf(text, size, "DMI: %u channel%s x %u bits x %u MT/s", dimms->channels,
                 dimms->channels == 1 ? "" : "s", first->width, first->rate);
    else
        snprintf(text, size, "DMI: the sum of width x speed over %u channels", dimms->channels);
    return peak;
}

double dmi_peak(const unsigned char *table, size_t size, char *text, size_t text_size)
{
    OWNED struct dimms *dimms = must(calloc(1, sizeof *dimms));
    read_table(table, size, dimms);
    const char *reason = why_not(dimms);
    if (!reason)
        return describe(dimms, text, text_size);
    snprintf(text, text_size, "%s", reason);
    return NAN;
}

double dmi_machine_peak(char *text, size_t text_size)
{
    char path[PATH_MAX];
    if (machine_is_virtual()) {
        snprintf(text, text_size, "a virtual machine's DMI is not about the host's DIMMs");
        return NAN;
    }
    FILE *file = fopen(machine_path(TABLE, path), "re");
    if (!file) {
        snprintf(text, text_size, errno == EACCES ? "reading DMI (%s) needs root" : "no DMI (%s)",
                 TABLE);
        return NAN;
    }
    OWNED unsigned char *table = must(malloc(MOST_BYTES));
    const double peak = dmi_peak(table, fread(table, 1, MOST_BYTES, file), text, text_size);
    fclose(file);
    return peak;
}
