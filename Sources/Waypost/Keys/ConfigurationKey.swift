/// What the reference, editors and checks need to know about a key, whatever its section.
package struct ConfigurationKeyDescription: Sendable {
    package let name: String
    /// One sentence for the reference.
    package let documentation: String
    /// The unit and range of the value, nil when the documentation is enough.
    package let unit: String?
    /// The allowed values, for editors.
    package let schema: ValueSchema
    /// The use of the file that the value names; nil when it names none that must exist.
    package let file: NamedFileUse?
    /// Whether a section without this key is a mistake.
    package let isRequired: Bool

    fileprivate init<Value>(_ name: String, _ kind: ValueKind<Value>, isRequired: Bool, _ documentation: String) {
        self.name = name
        self.documentation = documentation
        self.isRequired = isRequired
        unit = kind.unit
        schema = kind.schema
        file = kind.file
    }
}

/// One key of a section: its description, and how its value is read and written.
package struct ConfigurationKey<Section>: Sendable {
    package let description: ConfigurationKeyDescription
    /// An initial value as TOML, for a required key that was left out; nil to use the section's initial value.
    package let example: String?
    /// Whether no two sections of a list may have the same value.
    package let isUnique: Bool
    /// The names of the elements in a list that is added to those of earlier files; nil where a later value replaces an earlier one.
    package let elementNames: (@Sendable (Section) -> [String])?
    /// Reads a value into the section.
    package let read: @Sendable (TOMLNode, inout Section) throws(ValueProblem) -> Void
    /// The section's value as TOML.
    package let written: @Sendable (Section) -> String

    package var name: String { description.name }
    package var isRequired: Bool { description.isRequired }

    /// Creates a key whose value is a property of the section.
    package init<Value>(
        _ name: String, _ property: any WritableKeyPath<Section, Value> & Sendable, _ kind: ValueKind<Value>, isRequired: Bool = false,
        example: String? = nil, isUnique: Bool = false, _ documentation: String
    ) {
        description = ConfigurationKeyDescription(name, kind, isRequired: isRequired, documentation)
        self.example = example
        self.isUnique = isUnique
        elementNames = nil
        read = { (node, section) throws(ValueProblem) in section[keyPath: property] = try kind.read(node) }
        written = { kind.write($0[keyPath: property]) }
    }

    /// Creates a key whose value is a list that is added to those of earlier files.
    ///
    /// - Parameters:
    ///   - elementName: the name of an element; it is unique on a device.
    ///   - adding: combines the elements of earlier files with those of this one, in their order.
    package init<Element>(
        _ name: String, _ property: any WritableKeyPath<Section, [Element]> & Sendable, _ kind: ValueKind<[Element]>,
        elementName: @escaping @Sendable (Element) -> String,
        adding: @escaping @Sendable (_ earlier: [Element], _ more: [Element]) -> [Element], _ documentation: String
    ) {
        description = ConfigurationKeyDescription(name, kind, isRequired: false, documentation)
        example = nil
        isUnique = false
        elementNames = { $0[keyPath: property].map(elementName) }
        read = { (node, section) throws(ValueProblem) in
            section[keyPath: property] = adding(section[keyPath: property], try kind.read(node))
        }
        written = { kind.write($0[keyPath: property]) }
    }

    /// Creates a key of the section from the key of one of its parts.
    package init<Part>(
        _ key: ConfigurationKey<Part>, get: @escaping @Sendable (Section) -> Part, set: @escaping @Sendable (Part, inout Section) -> Void
    ) {
        description = key.description
        example = key.example
        isUnique = key.isUnique
        if let names = key.elementNames {
            elementNames = { section in names(get(section)) }
        } else {
            elementNames = nil
        }
        read = { (node, section) throws(ValueProblem) in
            var part = get(section)
            try key.read(node, &part)
            set(part, &section)
        }
        written = { key.written(get($0)) }
    }
}
