// Not any_input.hpp: expat, bzip2 and gzip would be linked for files that nobody downloads.
#include <osmium/io/opl_input.hpp>
#include <osmium/io/pbf_input.hpp>
#include <osmium/memory/buffer.hpp>
#include <osmium/osm.hpp>

#include <exception>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "cosmium.h"
}

struct cosmium_reader {
    std::unique_ptr<osmium::io::Reader> reader;
    osmium::memory::Buffer buffer;
    osmium::memory::Buffer::t_iterator<osmium::OSMObject> next;
    bool has_buffer = false;
    cosmium_object object{};
    std::vector<cosmium_tag> tags;
    std::vector<int64_t> nodes;
    std::vector<cosmium_member> members;
    std::string error;
    std::string timestamp;
};

namespace {

osmium::osm_entity_bits::type bits_of(unsigned kinds) {
    auto bits = osmium::osm_entity_bits::nothing;
    if ((kinds & COSMIUM_NODE) != 0) bits |= osmium::osm_entity_bits::node;
    if ((kinds & COSMIUM_WAY) != 0) bits |= osmium::osm_entity_bits::way;
    if ((kinds & COSMIUM_RELATION) != 0) bits |= osmium::osm_entity_bits::relation;
    return bits;
}

void fill(cosmium_reader &reader, const osmium::OSMObject &from) {
    cosmium_object &object = reader.object;
    object = {};
    object.number = from.id();
    reader.tags.clear();
    for (const osmium::Tag &tag : from.tags()) reader.tags.push_back({tag.key(), tag.value()});
    object.tags = reader.tags.data();
    object.tag_count = reader.tags.size();
    switch (from.type()) {
    case osmium::item_type::node: {
        object.kind = COSMIUM_NODE;
        const osmium::Location place = static_cast<const osmium::Node &>(from).location();
        object.has_place = place.valid();
        object.latitude = place.y();
        object.longitude = place.x();
        break;
    }
    case osmium::item_type::way:
        object.kind = COSMIUM_WAY;
        reader.nodes.clear();
        for (const osmium::NodeRef &node : static_cast<const osmium::Way &>(from).nodes()) reader.nodes.push_back(node.ref());
        object.nodes = reader.nodes.data();
        object.node_count = reader.nodes.size();
        break;
    default:
        object.kind = COSMIUM_RELATION;
        reader.members.clear();
        for (const osmium::RelationMember &member : static_cast<const osmium::Relation &>(from).members()) {
            const cosmium_kind kind = member.type() == osmium::item_type::node  ? COSMIUM_NODE
                                      : member.type() == osmium::item_type::way ? COSMIUM_WAY
                                                                                : COSMIUM_RELATION;
            reader.members.push_back({kind, member.ref(), member.role()});
        }
        object.members = reader.members.data();
        object.member_count = reader.members.size();
    }
}

// The next object that is still there: extracts with history have deleted ones too.
bool advance(cosmium_reader &reader) {
    while (true) {
        if (reader.has_buffer) {
            while (reader.next != reader.buffer.end<osmium::OSMObject>()) {
                const osmium::OSMObject &object = *reader.next;
                ++reader.next;
                if (!object.visible()) continue;
                fill(reader, object);
                return true;
            }
        }
        reader.buffer = reader.reader->read();
        if (!reader.buffer) return false;
        reader.has_buffer = true;
        reader.next = reader.buffer.begin<osmium::OSMObject>();
    }
}

} // namespace

extern "C" {

cosmium_reader *cosmium_open(const char *path, unsigned kinds) {
    auto *reader = new cosmium_reader;
    try {
        reader->reader = std::make_unique<osmium::io::Reader>(osmium::io::File{path}, bits_of(kinds));
        const osmium::io::Header header = reader->reader->header();
        reader->timestamp = header.get("osmosis_replication_timestamp", header.get("timestamp"));
    } catch (const std::exception &error) {
        reader->error = error.what();
        if (reader->error.empty()) reader->error = "cannot be read";
    }
    return reader;
}

void cosmium_close(cosmium_reader *reader) {
    try {
        if (reader->reader) reader->reader->close();
    } catch (const std::exception &) {
        // The last objects were wrong; whoever wanted them has been told.
    }
    delete reader;
}

const cosmium_object *cosmium_next(cosmium_reader *reader) {
    if (!reader->error.empty()) return nullptr;
    try {
        return advance(*reader) ? &reader->object : nullptr;
    } catch (const std::exception &error) {
        reader->error = error.what();
        if (reader->error.empty()) reader->error = "cannot be read";
        return nullptr;
    }
}

const char *cosmium_error(const cosmium_reader *reader) { return reader->error.empty() ? nullptr : reader->error.c_str(); }

const char *cosmium_timestamp(const cosmium_reader *reader) { return reader->timestamp.c_str(); }

uint64_t cosmium_offset(const cosmium_reader *reader) { return reader->reader ? reader->reader->offset() : 0; }

uint64_t cosmium_size(const cosmium_reader *reader) { return reader->reader ? reader->reader->file_size() : 0; }
}
